// A page for every popular pair of GPUs, and the matrix of providers and GPUs, in both languages. The figures are the
// core's comparison; the words around them are here.
import { compareText } from './static-text.mjs';

/** Pairs that people ask about; each is compared once, in this order. */
export const pairs = [
  ['nvidia-rtx-a6000', 'nvidia-a100-pcie-40gb'], ['nvidia-rtx-a6000', 'nvidia-a100-sxm-80gb'], ['nvidia-rtx-a6000', 'nvidia-a100-pcie-80gb'],
  ['nvidia-rtx-4090', 'nvidia-a100-pcie-40gb'], ['nvidia-rtx-4090', 'nvidia-a100-sxm-80gb'], ['nvidia-rtx-4090', 'nvidia-a100-pcie-80gb'],
  ['nvidia-rtx-4090', 'nvidia-rtx-3090'], ['nvidia-rtx-5090', 'nvidia-rtx-4090'], ['nvidia-rtx-4090', 'nvidia-rtx-a6000'], ['nvidia-rtx-3090', 'nvidia-rtx-a6000'],
  ['nvidia-rtx-4090', 'nvidia-h100-sxm-80gb'], ['nvidia-h100-sxm-80gb', 'nvidia-a100-sxm-80gb'], ['nvidia-h200-sxm-141gb', 'nvidia-h100-sxm-80gb'],
  ['nvidia-b200-sxm-180gb', 'nvidia-h200-sxm-141gb'], ['nvidia-l40s', 'nvidia-a100-sxm-80gb'], ['nvidia-l40s', 'nvidia-rtx-6000-ada'], ['nvidia-l4', 'nvidia-t4'],
  ['amd-mi300x', 'nvidia-h100-sxm-80gb'], ['nvidia-rtx-pro-6000-blackwell', 'nvidia-h100-pcie-80gb'], ['nvidia-rtx-pro-6000-blackwell', 'nvidia-rtx-5090'],
  ['apple-m3-ultra-80c', 'nvidia-rtx-4090'], ['apple-m4-max-40c', 'nvidia-rtx-4090'], ['nvidia-v100-sxm2-32gb', 'nvidia-a100-sxm-40gb'],
];

const slug = ([a, b]) => `${a.replace(/^nvidia-/, '')}-vs-${b.replace(/^nvidia-/, '')}`;

export async function writeComparisons({ page, engine, table, escape, fill, interval, numberIn, gpuBy, modelBy, providerBy, offers, text }) {
  const answers = pairs.map((gpus) => {
    const answer = JSON.parse(engine.compare(JSON.stringify({ gpus })));
    if (answer.error) throw new Error(`compare ${gpus}: ${answer.error.message}`);
    return answer;
  });
  for (const language of ['en', 'es']) {
    const t = { ...text[language], ...compareText[language] };
    const number = numberIn(language);
    const money = (usd) => `$${usd >= 100 ? number(usd) : usd.toFixed(usd < 0.1 ? 3 : 2)}`;
    const times = (value) => `${number(value)} ×`;
    for (const [at, answer] of answers.entries()) {
      const names = answer.sides.map((side) => side.name);
      const title = names.join(' vs ');
      const workload = (w) => `${t.workloads[w.name] ?? w.name}${w.model ? ` <span class="interval">${escape(modelBy.get(w.model)?.name ?? w.model)}${w.gpu_count_factor > 1 ? `, ${w.gpu_count_factor} GPU` : ''}</span>` : ''}`;
      const cell = (w, side) => {
        const outcome = w.outcomes[side];
        const best = w.best?.side === side;
        const value = outcome.value ? `${best ? '<strong>' : ''}${w.name === 'ownership' ? money(outcome.value.value) : interval(number, outcome.value)}${best ? '</strong>' : ''}` : escape(outcome.verdict === 'does_not_fit' ? t.doesNotFit : t.unknown);
        const margin = best && w.best.margin ? ` <span class="interval">${times(w.best.margin)}${w.best.clear ? '' : ` ${t.withinError}`}</span>` : best ? ` <span class="interval">${t.only}</span>` : '';
        return value + margin;
      };
      const cost = (w, side) => (w.outcomes[side].cost ? `${w.cheapest?.side === side ? '<strong>' : ''}${money(w.outcomes[side].cost.value)}${w.cheapest?.side === side ? '</strong>' : ''}` : '');
      const reason = (r, side) => {
        const what = t.workloads[r.workload] ?? r.workload;
        const other = names[1 - side];
        if (r.code === 'only') return fill(t.reasonOnly, { what });
        if (r.code === 'range') {
          const axis = t.axes[r.axis];
          const limit = r.axis === 'model_parameters' ? `${number((r.from ?? r.to) / 1e9)} B` : number(r.from ?? r.to);
          return fill(r.from === undefined ? t.reasonBelow : t.reasonFrom, { what, axis, limit, by: t.by[r.by] });
        }
        return fill(r.code === 'faster' ? t.reasonFaster : t.reasonCheaper, { what, times: times(r.margin), other });
      };
      const wins = answer.choose.map((reasons) => reasons.filter((r) => r.code === 'faster' || r.code === 'only').length);
      const cheap = answer.choose.map((reasons) => reasons.filter((r) => r.code === 'cheaper').length);
      const lead = fill(t.lead, { a: names[0], b: names[1], fast: names[wins[0] >= wins[1] ? 0 : 1], cheap: names[cheap[0] >= cheap[1] ? 0 : 1], nfast: Math.max(...wins), ncheap: Math.max(...cheap), of: answer.workloads.length });
      const owned = answer.rent_or_own.map((money_) => money_);
      const row = (label, pick) => [label, ...owned.map(pick)];
      const offersOf = (gpu) =>
        offers
          .filter((offer) => offer.gpu === gpu && typeof offer.price_usd_per_hour === 'number' && offer.price_usd_per_hour > 0)
          .map((offer) => ({ ...offer, each: offer.price_usd_per_hour / (offer.gpu_count || 1) }))
          .sort((x, y) => x.each - y.each);
      const providers = [...new Set(answer.sides.flatMap((side) => offersOf(side.gpu).map((offer) => offer.provider)))];
      const newest = (gpu, provider) => offersOf(gpu).filter((offer) => offer.provider === provider && offer.labels.every((label) => !/floor|fractional|unverified|commitment/.test(label))).sort((x, y) => (x.price_date < y.price_date ? 1 : x.price_date > y.price_date ? -1 : x.each - y.each))[0];
      const up = language === 'en' ? '../../' : '../../../';
      await page(language, `compare/${slug(pairs[at])}/`, {
        title,
        description: lead,
        body: `<p class="lead">${escape(lead)}</p><p><a class="go" href="${up}?v=1&amp;m=llama-3.1-8b#compare=${answer.sides.map((side) => side.gpu).join(',')}">${t.openCompare}</a></p>
${answer.sides.map((side, i) => `<h2>${escape(fill(t.chooseWhen, { name: side.name }))}</h2>${answer.choose[i].length === 0 ? `<p>${t.nothing}</p>` : `<ul>${answer.choose[i].map((r) => `<li>${escape(reason(r, i))}</li>`).join('')}</ul>`}`).join('')}
<h2>${t.byWorkload}</h2><p>${t.workloadLead}</p>${table([t.workload, ...names, ...names.map((name) => `${t.costOf} ${name}`)], answer.workloads.map((w) => [`${workload(w)} <span class="interval">${escape(t.metrics[w.metric] ?? w.metric)}</span>`, cell(w, 0), cell(w, 1), cost(w, 0), cost(w, 1)]))}
<h2>${t.specifications}</h2>${table([t.field, ...names, t.ratio], answer.specs.map((spec) => [escape(spec.name.replaceAll('_', ' ')), ...spec.values.map((value) => (value === null ? t.unknown : number(value, 5))), spec.ratios[1] === null ? '' : times(spec.ratios[1])]))}
<h2>${t.rentOrOwn}</h2>${table(['', ...names], [
          row(t.rentHour, (m) => (m.rent_usd_per_hour === undefined ? t.unknown : money(m.rent_usd_per_hour))),
          row(t.hardware, (m) => (m.hardware_usd === undefined ? t.unknown : `${money(m.hardware_usd)} <span class="interval">${escape(m.price_basis)}</span>`)),
          row(t.ownHour, (m) => (m.own_usd_per_hour === undefined ? t.unknown : `${money(m.own_usd_per_hour)}${m.electricity_counted ? '' : ` <span class="interval">${t.noElectricity}</span>`}`)),
          row(t.breakEven, (m) => (m.break_even_hours_per_month === undefined ? t.unknown : `${number(m.break_even_hours_per_month)} h`)),
        ])}
<h2>${t.prices}</h2>${table([t.provider, ...names], providers.map((provider) => [escape(providerBy.get(provider)?.name ?? provider), ...answer.sides.map((side) => {
          const offer = newest(side.gpu, provider);
          return offer ? `<b>$${offer.each.toFixed(2)}</b> <span class="interval">${escape(offer.price_date)}</span>` : '';
        })]).filter((cells) => cells[1] !== '' || cells[2] !== ''))}
<p class="notes">${answer.sides.map((side) => `<a href="../../gpus/${side.gpu}/">${escape(gpuBy.get(side.gpu)?.name ?? side.gpu)}</a>`).join(' · ')}</p>`,
      });
    }
    await page(language, 'compare/', {
      title: t.compareTitle,
      description: t.compareLead,
      body: `<p class="lead">${t.compareLead}</p><p><a href="../claims/">${t.claimsLink}</a></p><ul>${answers.map((answer, at) => `<li><a href="${slug(pairs[at])}/">${escape(answer.sides.map((side) => side.name).join(' vs '))}</a></li>`).join('')}</ul>`,
    });
  }
  return answers.length;
}

const kinds = [['price_usd_per_hour', 'on-demand'], ['spot_usd_per_hour', 'spot'], ['reserved_1y_usd_per_hour', 'reserved-1y'], ['reserved_3y_usd_per_hour', 'reserved-3y']];

/** Where each GPU can be rented: newest price of one GPU-hour of every kind, with the offers of each cell below. */
export async function writeProviders({ page, escape, fill, gpus, providerBy, offers, text, historyFigure }) {
  // What is offered most stands first, so that the first screen is not empty.
  const count = (key) => offers.reduce((counts, offer) => counts.set(offer[key], (counts.get(offer[key]) ?? 0) + 1), new Map());
  const [ofGpu, ofProvider] = [count('gpu'), count('provider')];
  const offered = gpus.filter((gpu) => offers.some((offer) => offer.gpu === gpu.id && kinds.some(([key]) => typeof offer[key] === 'number'))).sort((a, b) => ofGpu.get(b.id) - ofGpu.get(a.id));
  const providers = [...ofProvider.keys()].sort((a, b) => ofProvider.get(b) - ofProvider.get(a) || a.localeCompare(b));
  const cells = new Map();
  for (const offer of offers) {
    if (!offer.gpu) continue;
    const key = `${offer.gpu} ${offer.provider}`;
    cells.set(key, [...(cells.get(key) ?? []), offer]);
  }
  for (const language of ['en', 'es']) {
    const t = { ...text[language], ...compareText[language] };
    const each = (offer, key) => (typeof offer[key] === 'number' ? offer[key] / (offer.gpu_count || 1) : null);
    const best = (list, key) => {
      const priced = list.filter((offer) => each(offer, key) !== null);
      const newest = priced.reduce((date, offer) => (offer.price_date > date ? offer.price_date : date), '');
      return priced.filter((offer) => offer.price_date === newest).sort((a, b) => each(a, key) - each(b, key))[0];
    };
    const cell = (gpu, provider) => {
      const list = cells.get(`${gpu.id} ${provider}`);
      if (!list) return '';
      const shown = kinds.flatMap(([key, kind]) => {
        const offer = best(list, key);
        return offer ? [{ kind, usd: each(offer, key), date: offer.price_date }] : [];
      });
      if (shown.length === 0) return '';
      const [first] = shown;
      const regions = new Set(list.map((offer) => offer.region).filter(Boolean)).size;
      const most = Math.max(...list.map((offer) => offer.gpu_count || 1));
      return `<a href="#${gpu.id}-${provider}">$${first.usd.toFixed(2)}</a> <span class="interval">${[first.kind === 'on-demand' ? '' : t.kinds[first.kind], ...shown.slice(1).map((entry) => `${t.kinds[entry.kind]} $${entry.usd.toFixed(2)}`), most > 1 ? fill(t.upTo, { n: most }) : '', regions > 1 ? fill(t.regions, { n: regions }) : '', first.date].filter(Boolean).join(' · ')}</span>`;
    };
    const head = `<thead><tr><th scope="col">${t.gpu}</th>${providers.map((provider) => `<th scope="col" data-name="${escape((providerBy.get(provider)?.name ?? provider).toLowerCase())}">${escape(providerBy.get(provider)?.name ?? provider)}</th>`).join('')}</tr></thead>`;
    const rows = offered.map((gpu) => `<tr data-name="${escape(gpu.name.toLowerCase())}"><th scope="row"><a href="../gpus/${gpu.id}/">${escape(gpu.name)}</a></th>${providers.map((provider) => `<td>${cell(gpu, provider)}</td>`).join('')}</tr>`);
    const list = offered.map((gpu) => {
      const groups = providers.filter((provider) => cells.has(`${gpu.id} ${provider}`)).map((provider) => {
        const rows_ = cells.get(`${gpu.id} ${provider}`).sort((a, b) => (a.price_date < b.price_date ? 1 : -1));
        return `<h3 id="${gpu.id}-${provider}">${escape(gpu.name)} · ${escape(providerBy.get(provider)?.name ?? provider)}</h3><ul class="offers">${rows_.map((offer) => `<li>${escape(offer.instance)}${offer.gpu_count > 1 ? ` (${offer.gpu_count} GPU)` : ''}${offer.region ? `, ${escape(offer.region)}` : ''}: ${kinds.flatMap(([key, kind]) => (typeof offer[key] === 'number' ? [`${t.kinds[kind]} $${offer[key].toFixed(2)}/h`] : [])).join(', ')} <span class="interval">${[offer.price_date, ...offer.labels].map(escape).join(' · ')}</span></li>`).join('')}</ul>`;
      });
      return `<details><summary>${escape(gpu.name)}</summary>${historyFigure(language, gpu, language === 'en' ? '../' : '../../')}${groups.join('')}</details>`;
    });
    const lead = fill(t.providersLead, { gpus: offered.length, providers: providers.length });
    await page(language, 'providers/', {
      title: t.providersTitle,
      description: lead,
      script: 'matrix.js',
      wide: true,
      body: `<p class="lead">${lead}</p><form class="filters" hidden><label>${t.filterGpu} <input type="search" name="gpu" autocomplete="off"></label> <label>${t.filterProvider} <input type="search" name="provider" autocomplete="off"></label></form>
<div class="scroll" tabindex="0" role="region" aria-label="${escape(t.providersTitle)}"><table class="matrix">${head}<tbody>${rows.join('')}</tbody></table></div><h2>${t.allOffers}</h2>${list.join('')}`,
    });
  }
}

/** The published claims with our numbers; the verdicts are the core's. */
export async function writeClaims({ page, table, escape, text, claims }) {
  for (const language of ['en', 'es']) {
    const t = { ...text[language], ...compareText[language] };
    await page(language, 'claims/', {
      title: t.claimsTitle,
      description: t.claimsLead,
      body: `<p class="lead">${t.claimsLead}</p>${table([t.claim, t.verdict, t.ours], claims.map((claim) => [escape(claim.said[language]), `<strong>${t.verdicts[claim.verdict]}</strong>`, escape(claim.ours[language])]))}`,
    });
  }
}
