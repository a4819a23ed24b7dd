// Published prices of a GPU over time, drawn as a picture of its own: pages fetch it when it comes into view. Dots are
// prices of one GPU for an hour, lines join the rows of one offer.
const width = 720;
const height = 260;
const [left, right, top, bottom] = [52, 14, 12, 28];

const kinds = [['price_usd_per_hour', 'on-demand'], ['spot_usd_per_hour', 'spot']];

/** Days since 1970 of a row's date; a month stands for its 15th, a year for its 1st of July, as in the core. */
export function dayOf(date) {
  const full = date.length === 4 ? `${date}-07-01` : date.length === 7 ? `${date}-15` : date;
  return Date.parse(`${full}T00:00:00Z`) / 864e5;
}

/** The dated prices of one GPU-hour, oldest first. */
export function pricesOf(offers, gpu) {
  return offers
    .filter((offer) => offer.gpu === gpu && offer.price_date)
    .flatMap((offer) =>
      kinds.flatMap(([key, kind]) =>
        typeof offer[key] === 'number' && offer[key] > 0
          ? [{ day: dayOf(offer.price_date), date: offer.price_date, usd: offer[key] / (offer.gpu_count || 1), kind, offer: `${offer.provider} ${offer.instance} ${offer.region} ${kind}` }]
          : [],
      ),
    )
    .sort((a, b) => a.day - b.day || a.usd - b.usd);
}

/** What the picture shows, for those who do not see it; null where there is nothing to follow over time. */
export function historyOf(points) {
  const days = new Set(points.map((point) => point.day));
  if (days.size < 2) return null;
  const onDemand = points.filter((point) => point.kind === 'on-demand');
  const prices = (onDemand.length > 0 ? onDemand : points).map((point) => point.usd);
  return { n: points.length, first: points[0].date, last: points.at(-1).date, low: Math.min(...prices).toFixed(2), high: Math.max(...prices).toFixed(2) };
}

/** 1, 2, 5 and their tenfolds between the two. */
function logTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) for (const step of [1, 2, 5]) ticks.push(step * 10 ** power);
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** The first days of quarters or, over more than three years, of years. */
function dateTicks(from, to) {
  const step = to - from > 3 * 366 ? 12 : to - from > 366 ? 6 : 3;
  const ticks = [];
  for (let month = 0, year = new Date(from * 864e5).getUTCFullYear(); ; month += step) {
    const day = Date.UTC(year, month, 1) / 864e5;
    if (day > to) return ticks;
    if (day >= from) ticks.push({ day, text: new Date(day * 864e5).toISOString().slice(0, 7) });
  }
}

export function historySvg(points) {
  const days = points.map((point) => point.day);
  const prices = points.map((point) => point.usd);
  const [from, to] = [Math.min(...days) - 10, Math.max(...days) + 10];
  const [low, high] = [Math.min(...prices) * 0.85, Math.max(...prices) * 1.15];
  const x = (day) => (left + ((day - from) / (to - from)) * (width - left - right)).toFixed(1);
  const y = (usd) => (height - bottom - ((Math.log(usd) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (height - bottom - top)).toFixed(1);
  const offers = points.reduce((map, point) => map.set(point.offer, [...(map.get(point.offer) ?? []), point]), new Map());
  const lines = [...offers.values()].filter((own) => own.length > 1).map((own) => `<path d="${own.map((point, i) => `${i === 0 ? 'M' : 'L'}${x(point.day)} ${y(point.usd)}`).join('')}"/>`);
  const grid = logTicks(low, high).map((tick) => `<path class="grid" d="M${left} ${y(tick)}H${width - right}"/><text x="${left - 6}" y="${Number(y(tick)) + 4}" text-anchor="end">$${tick >= 1 ? tick : tick.toFixed(2)}</text>`);
  const dates = dateTicks(from, to).map((tick) => `<path class="axis" d="M${x(tick.day)} ${height - bottom}v4"/><text x="${x(tick.day)}" y="${height - bottom + 16}" text-anchor="middle">${tick.text}</text>`);
  const dots = points.map((point) => `<circle class="${point.kind}" cx="${x(point.day)}" cy="${y(point.usd)}" r="3"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><style>text{font:11px system-ui,sans-serif;fill:#565b64}path{fill:none;stroke:#1f4fc4;stroke-width:1.5}.grid{stroke:#d9d9d2;stroke-width:1}.axis{stroke:#565b64;stroke-width:1}circle{stroke:#1f4fc4;fill:#1f4fc4}.spot{fill:#fbfbf8}@media(prefers-color-scheme:dark){text{fill:#a2a7b1}path,circle{stroke:#93b2ff}.grid{stroke:#343943}.axis{stroke:#a2a7b1}circle{fill:#93b2ff}.spot{fill:#131519}}</style>${grid.join('')}<path class="axis" d="M${left} ${height - bottom}H${width - right}"/>${dates.join('')}${lines.join('')}${dots.join('')}</svg>
`;
}
