import { currentLanguage } from './index.js';

/** Words of the rent-or-own view, fetched with it. */
const en = {
  title: 'Rent or own: {gpu}',
  close: 'Close',
  lead: 'Owning costs {idle} a month before the first hour ({hardware} of hardware over {life} months) and {power} an hour for electricity.',
  leadNoPower: 'Owning costs {idle} a month before the first hour ({hardware} of hardware over {life} months). Electricity is left out: choose a country or a price per kWh.',
  from: '{provider} at {price}/h: owning is cheaper from {hours} hours a month ({share} of the time).',
  upTo: '{provider} at {price}/h, paid all month: owning is cheaper up to {hours} hours a month.',
  always: '{provider} at {price}/h: owning is always cheaper.',
  never: '{provider} at {price}/h: renting is always cheaper.',
  noOffers: 'Nobody is known to rent this machine out.',
  unknown: 'What owning costs is not known: type the price of the card.',
  plot: 'What a month costs, by the hours of use',
  axisX: 'hours of use a month',
  axisY: 'a month',
  own: 'Owned',
  table: 'Every provider against owning',
  provider: 'Provider',
  kind: 'Rented as',
  price: 'Rent',
  pays: 'Owning is cheaper',
  paysFrom: 'from {hours} h a month',
  paysUpTo: 'up to {hours} h a month',
  paysAlways: 'always',
  paysNever: 'never',
  paid: 'Paid after',
  paidMonths: '{n} months',
  paidNever: 'not in its lifetime',
  date: 'Price of',
  old: 'old',
  points: 'The curve as a table',
  hours: 'Hours a month',
  fields: 'What owning takes',
  basis: { 'typed in': 'price typed in', 'street price': 'street price', 'used price': 'used price', 'launch price': 'launch price' },
};

const es: typeof en = {
  title: 'Alquilar o comprar: {gpu}',
  close: 'Cerrar',
  lead: 'Tenerla cuesta {idle} al mes antes de la primera hora ({hardware} de equipo en {life} meses) y {power} de electricidad por hora.',
  leadNoPower: 'Tenerla cuesta {idle} al mes antes de la primera hora ({hardware} de equipo en {life} meses). Falta la electricidad: elige un país o un precio por kWh.',
  from: '{provider} a {price}/h: comprar sale más barato desde {hours} horas al mes ({share} del tiempo).',
  upTo: '{provider} a {price}/h, pagado todo el mes: comprar sale más barato hasta {hours} horas al mes.',
  always: '{provider} a {price}/h: comprar siempre sale más barato.',
  never: '{provider} a {price}/h: alquilar siempre sale más barato.',
  noOffers: 'No se sabe de nadie que alquile esta máquina.',
  unknown: 'No se sabe cuánto cuesta tenerla: escribe el precio de la tarjeta.',
  plot: 'Lo que cuesta un mes, según las horas de uso',
  axisX: 'horas de uso al mes',
  axisY: 'al mes',
  own: 'En propiedad',
  table: 'Cada proveedor frente a comprar',
  provider: 'Proveedor',
  kind: 'Modalidad',
  price: 'Alquiler',
  pays: 'Comprar sale más barato',
  paysFrom: 'desde {hours} h al mes',
  paysUpTo: 'hasta {hours} h al mes',
  paysAlways: 'siempre',
  paysNever: 'nunca',
  paid: 'Amortizada en',
  paidMonths: '{n} meses',
  paidNever: 'no en su vida útil',
  date: 'Precio de',
  old: 'antiguo',
  points: 'La curva como tabla',
  hours: 'Horas al mes',
  fields: 'Lo que hace falta para tenerla',
  basis: { 'typed in': 'precio indicado', 'street price': 'precio de calle', 'used price': 'precio de segunda mano', 'launch price': 'precio de salida' },
};

export const ownTexts = { en, es };
export type OwnKey = { [K in keyof typeof en]: (typeof en)[K] extends string ? K : never }[keyof typeof en];

export const ownText = (key: OwnKey, values: Readonly<Record<string, string | number>> = {}): string =>
  ownTexts[currentLanguage()][key].replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));

export function basisText(basis: string): string {
  const words: Readonly<Record<string, string>> = ownTexts[currentLanguage()].basis;
  return words[basis] ?? basis;
}
