// Writes a readable page for every GPU and model, and Methods, Data and Accuracy, in English and Spanish, into dist.
// They hold no script; what runs and what it costs comes from the same WASM core as the calculator.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { writeClaims, writeComparisons, writeProviders } from './compare-pages.mjs';
import { historyOf, historySvg, pricesOf } from './price-history.mjs';
import { compareText, methods, text } from './static-text.mjs';

const root = new URL('../../', import.meta.url);
const dist = new URL('../dist/', import.meta.url);
const siteUrl = process.env.SITE_URL?.replace(/\/?$/, '/') ?? null;
const json = async (path) => JSON.parse(await readFile(new URL(path, root), 'utf8'));

const { gpus } = await json('data/gpus.json');
const { as_of: asOf } = await json('data/catalog.json');
const { quants } = await json('data/quants.json');
const { providers } = await json('data/providers.json');
const { sources } = await json('data/sources.json');
const listed = async (folder) => (await readdir(new URL(folder, root))).filter((name) => name.endsWith('.json')).sort();
const models = (await Promise.all((await listed('data/models/')).map((name) => json(`data/models/${name}`)))).flatMap((file) => file.models);
const offers = (await Promise.all((await listed('data/offers/')).map((name) => json(`data/offers/${name}`)))).flatMap((file) => file.offers.map((offer) => ({ ...offer, provider: file.provider })));

const { default: createModule } = await import(new URL('../src/generated/core/whichgpu-full.js', import.meta.url));
const module = await createModule({ wasmBinary: await readFile(new URL('../src/generated/core/whichgpu-full.wasm', import.meta.url)) });
const engine = new module.Engine(await readFile(new URL('../src/generated/core/catalog.json', import.meta.url), 'utf8'));
const accuracy = JSON.parse(execFileSync(fileURLToPath(new URL('build/release/whichgpu', root)), ['accuracy', '--json'], { cwd: fileURLToPath(root), maxBuffer: 64 << 20 }));
const details = JSON.parse(execFileSync(fileURLToPath(new URL('build/release/whichgpu', root)), ['accuracy', '--details'], { cwd: fileURLToPath(root), maxBuffer: 64 << 20 }));
const rank = (scenario) => JSON.parse(engine.rank(JSON.stringify(scenario)));

const by = (rows) => new Map(rows.map((row) => [row.id, row]));
const gpuBy = by(gpus);
const modelBy = by(models);
const quantBy = by(quants);
const providerBy = by(providers);
const sourceBy = by(sources);

const escape = (value) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const fill = (message, values) => message.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
const numberIn = (language) => (value, digits = 3) =>
  new Intl.NumberFormat(language, Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits }).format(value);
const parameters = (n) => (n >= 1e12 ? `${(n / 1e12).toPrecision(3)}T` : n >= 1e9 ? `${Number((n / 1e9).toPrecision(3))}B` : `${Number((n / 1e6).toPrecision(3))}M`);
const runs = (row) => row.verdict === 'fits' || row.verdict === 'tight';

function table(head, rows, classes = []) {
  const cell = (tag, value, at) => `<${tag}${classes[at] ? ` class="${classes[at]}"` : ''}${tag === 'th' ? ' scope="col"' : ''}>${value}</${tag}>`;
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escape(head[0])}"><table><thead><tr>${head.map((h, at) => cell('th', escape(h), at)).join('')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((value, at) => cell('td', value, at)).join('')}</tr>`)
    .join('')}</tbody></table></div>`;
}

/** Writes one page in one language. `path` is the folder below the language's root, "" or "gpus/x/". */
async function page(language, path, { title, description, body, script, wide }) {
  const t = { ...text[language], ...compareText[language] };
  const other = language === 'en' ? 'es' : 'en';
  const folder = language === 'en' ? path : `es/${path}`;
  const up = '../'.repeat(folder.split('/').filter((part) => part !== '').length) || './';
  const home = language === 'en' ? up : `${up}es/`;
  const otherPath = `${up}${other === 'en' ? '' : 'es/'}${path}`;
  const links = ['gpus', 'models', 'compare', 'providers', 'methods', 'data', 'accuracy', 'embed'].map((name) => `<a href="${name === 'embed' ? up : home}${name}/"${path === `${name}/` ? ' aria-current="page"' : ''}>${t[name]}</a>`);
  const absolute = siteUrl
    ? `<link rel="canonical" href="${siteUrl}${folder}"><link rel="alternate" hreflang="en" href="${siteUrl}${path}"><link rel="alternate" hreflang="es" href="${siteUrl}es/${path}"><meta property="og:url" content="${siteUrl}${folder}"><meta property="og:image" content="${siteUrl}card.png">`
    : '';
  const html = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self'${script ? "; script-src 'self'" : ''}; base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark"><title>${escape(title)} · WhichGPU</title><meta name="description" content="${escape(description)}">
<meta property="og:title" content="${escape(title)}"><meta property="og:description" content="${escape(description)}"><meta property="og:type" content="article">${absolute}
<link rel="icon" href="${up}icon.svg" type="image/svg+xml"><link rel="stylesheet" href="${up}static.css">${script ? `<script type="module" src="${up}${script}"></script>` : ''}</head>
<body><a class="skip" href="#main">${t.skip}</a><header><p class="brand"><a href="${up}">WhichGPU</a></p><nav aria-label="WhichGPU"><a href="${up}">${t.calculator}</a>${links.join('')}</nav><a class="other" hreflang="${other}" lang="${other}" href="${otherPath}">${t.other}</a></header>
<main id="main"${wide ? ' class="wide"' : ''}><h1>${escape(title)}</h1>${body}</main><footer><p>${fill(t.dataDate, { date: `<time>${asOf}</time>` })}</p></footer></body></html>
`;
  const target = new URL(folder, dist);
  await mkdir(target, { recursive: true });
  await writeFile(new URL('index.html', target), html);
}

function interval(number, quantity) {
  if (!quantity) return null;
  const { value, p10, p90 } = quantity;
  return `<b>${number(value)}</b>${p10 === undefined ? '' : ` <span class="interval">${number(p10)}–${number(p90)}</span>`}`;
}

function sourceList(t, provenance) {
  const items = (provenance?.sources ?? []).map((id) => {
    const source = sourceBy.get(id);
    const title = escape(source?.title ?? id);
    return `<li>${source?.link ? `<a href="${escape(source.link)}" rel="noopener">${title}</a>` : title}${source?.read ? ` <span class="interval">${t.read} ${escape(source.read)}</span>` : ''}</li>`;
  });
  const notes = provenance?.notes ? `<p class="notes">${t.notes}: ${escape(provenance.notes)}</p>` : '';
  return `<h2>${t.sources}</h2>${provenance?.confidence ? `<p>${t.confidence}: ${escape(provenance.confidence)}${provenance.date ? `, ${escape(provenance.date)}` : ''}</p>` : ''}<ul class="sources">${items.join('')}</ul>${notes}`;
}

const unitOf = [
  [/_gib$|_gib_/, 'GiB'], [/_gb_per_s/, 'GB/s'], [/_gb$/, 'GB'], [/_tflops$/, 'TFLOPS'], [/_tops$/, 'TOPS'], [/_mb$/, 'MB'], [/_w$/, 'W'], [/_usd$/, 'USD'],
];

/** Every known fact of a row, each with the source of that field where it has its own. */
function facts(t, number, row, skip) {
  const rows = Object.entries(row)
    .filter(([key, value]) => !skip.includes(key) && value !== null && typeof value !== 'object')
    .map(([key, value]) => {
      const unit = unitOf.find(([pattern]) => pattern.test(key))?.[1] ?? '';
      const own = row.provenance?.fields?.[key];
      const source = own ? `${escape(sourceBy.get(own.source)?.title ?? own.source)} <span class="interval">${[own.kind, own.date].filter(Boolean).map(escape).join(', ')}</span>` : '';
      const year = /year|release$/.test(key);
      return [escape(key.replaceAll('_', ' ')), `${typeof value === 'number' && !year ? number(value, 12) : escape(value)}${unit ? ` ${unit}` : ''}`, source];
    });
  return `<h2>${t.facts}</h2>${table([t.field, t.value, t.source], rows)}`;
}

const families = ['llm', 'moe', 'vlm', 'hybrid', 'ssm'];
/** What a visitor looks for first; the rest of a GPU's list follows by the core's order. */
const known = ['llama-3.1-8b', 'llama-3.3-70b', 'llama-3.1-405b', 'qwen3-8b', 'qwen3-14b', 'qwen3-32b', 'qwen3-30b-a3b', 'qwen3-235b-a22b', 'gpt-oss-20b', 'gpt-oss-120b', 'gemma-3-4b', 'gemma-3-12b', 'gemma-3-27b', 'mistral-7b', 'mistral-small-24b', 'mixtral-8x7b', 'phi-4', 'deepseek-v3', 'deepseek-r1', 'llama-3.2-3b', 'llama-3.2-1b', 'qwen2.5-coder-32b'];

// Prices over time: a picture for every GPU with prices of more than one day.
await mkdir(new URL('prices/', dist), { recursive: true });
const histories = new Map();
for (const gpu of gpus) {
  const points = pricesOf(offers, gpu.id);
  const history = historyOf(points);
  if (!history) continue;
  histories.set(gpu.id, history);
  await writeFile(new URL(`prices/${gpu.id}.svg`, dist), historySvg(points));
}
/** The picture with its words; `up` leads to the site's root. */
function historyFigure(language, gpu, up) {
  const history = histories.get(gpu.id);
  const t = compareText[language];
  return history ? `<figure class="history"><img src="${up}prices/${gpu.id}.svg" width="720" height="260" loading="lazy" alt="${escape(fill(t.historyAlt, { ...history, gpu: gpu.name }))}"><figcaption>${t.history}</figcaption></figure>` : '';
}

let count = 0;
const gpuAnswers = new Map(gpus.map((gpu) => [gpu.id, rank({ version: 1, workload: 'chat', gpu: gpu.id })]));
for (const language of ['en', 'es']) {
  const t = text[language];
  const number = numberIn(language);
  for (const gpu of gpus) {
    const answer = gpuAnswers.get(gpu.id);
    const rows = answer.rows ?? [];
    const fits = rows.filter(runs);
    const first = known.flatMap((id) => fits.filter((row) => row.model === id));
    const shown = [...first, ...fits.filter((row) => !first.includes(row) && row.decode_tokens_per_s)].slice(0, 30);
    const own = offers
      .filter((offer) => offer.gpu === gpu.id && typeof offer.price_usd_per_hour === 'number')
      .map((offer) => ({ ...offer, each: offer.price_usd_per_hour / (offer.gpu_count || 1) }))
      .sort((a, b) => a.each - b.each)
      .slice(0, 25);
    const sentence = fill(t.gpuSentence, { name: gpu.name, memory: gpu.memory_gb ?? '?', bandwidth: gpu.bandwidth_gb_per_s === null ? '?' : number(gpu.bandwidth_gb_per_s), fits: answer.counts?.fits ?? 0, all: rows.length });
    const up = language === 'en' ? '../../' : '../../../';
    await page(language, `gpus/${gpu.id}/`, {
      title: gpu.name,
      description: sentence,
      body: `<p class="lead">${escape(sentence)}</p><p><a class="go" href="${up}?v=1&amp;w=chat&amp;g=${gpu.id}">${t.openGpu}</a></p>
<h2>${t.runs}</h2>${
        shown.length === 0
          ? `<p>${t.noRuns}</p>`
          : `<p>${t.runsLead}</p>${table([t.model, t.format, t.needs, t.speed], shown.map((row) => [`<a href="../../models/${row.model}/">${escape(modelBy.get(row.model)?.name ?? row.model)}</a>`, escape(quantBy.get(row.precision)?.name ?? row.precision ?? ''), `${number(row.per_gpu_gib)} / ${number(row.capacity_gib)} GiB`, row.decode_tokens_per_s ? `${interval(number, row.decode_tokens_per_s)} tok/s` : t.unknown]))}`
      }
<h2>${t.costs}</h2>${own.length === 0 ? `<p>${t.noOffers}</p>` : table([t.provider, t.instance, t.perGpu, t.date], own.map((offer) => [escape(providerBy.get(offer.provider)?.name ?? offer.provider), escape(`${offer.instance}${offer.region ? `, ${offer.region}` : ''}`), `<b>$${offer.each.toFixed(2)}</b>${offer.labels.length ? ` <span class="interval">${offer.labels.map(escape).join(', ')}</span>` : ''}`, escape(offer.price_date)]))}${historyFigure(language, gpu, up)}
${facts(t, number, gpu, ['id', 'name'])}${sourceList(t, gpu.provenance)}`,
    });
    count++;
  }
  await page(language, 'gpus/', {
    title: t.gpusTitle,
    description: fill(t.gpusLead, { n: gpus.length }),
    body: `<p class="lead">${fill(t.gpusLead, { n: gpus.length })}</p>${table([t.name, t.vendor, t.year, t.memory, t.bandwidth], gpus.map((gpu) => [`<a href="${gpu.id}/">${escape(gpu.name)}</a>`, escape(gpu.vendor), gpu.release_year ?? '', gpu.memory_gb === null ? t.unknown : `${number(gpu.memory_gb)} GB`, gpu.bandwidth_gb_per_s === null ? t.unknown : `${number(gpu.bandwidth_gb_per_s)} GB/s`]))}`,
  });
}

const workloadOf = (kind) => (families.includes(kind) ? 'chat' : kind === 'vision' ? 'vision-inference' : kind === 'diffusion' || kind === 'video' ? 'image-generation' : kind === 'embedding' ? 'serving' : null);
for (const model of models) {
  const workload = workloadOf(model.kind);
  const answer = workload ? rank({ version: 1, workload, model: model.id }) : { rows: [] };
  const rows = answer.rows ?? [];
  for (const language of ['en', 'es']) {
    const t = text[language];
    const number = numberIn(language);
    const fits = rows.filter(runs);
    const cheapest = fits.filter((row) => row.usd_per_hour).sort((a, b) => a.usd_per_hour.value - b.usd_per_hour.value)[0];
    const sentence = rows.length === 0 ? `${model.name}: ${parameters(model.params_total ?? 0)}` : `${fill(t.modelSentence, { name: model.name, fits: answer.counts?.fits ?? 0, all: rows.length })}${cheapest ? ` ${fill(t.cheapest, { gpu: gpuBy.get(cheapest.gpu)?.name, price: cheapest.usd_per_hour.value.toFixed(2) })}` : ''}`;
    const speed = (row) => (row.decode_tokens_per_s ? `${interval(number, row.decode_tokens_per_s)} tok/s` : row.images_per_s ? `${interval(number, row.images_per_s)} img/s` : row.seconds_per_image ? `${interval(number, row.seconds_per_image)} s` : t.unknown);
    const up = language === 'en' ? '../../' : '../../../';
    const groups = (model.layer_groups ?? []).map((group) => escape(Object.entries(group).map(([key, value]) => `${key} ${value}`).join(', '))).join('; ');
    await page(language, `models/${model.id}/`, {
      title: model.name,
      description: sentence,
      body: `<p class="lead">${escape(sentence)}</p>${workload ? `<p><a class="go" href="${up}?v=1&amp;w=${workload}&amp;m=${model.id}">${t.openModel}</a></p>` : ''}
${fits.length === 0 ? '' : `<h2>${t.onGpus}</h2>${answer.scenario?.precision?.weights ? `<p>${fill(t.onGpusLead, { format: escape(quantBy.get(answer.scenario.precision.weights)?.name ?? answer.scenario.precision.weights) })}</p>` : ''}${table([t.gpu, t.needs, t.speed, t.rent], fits.slice(0, 40).map((row) => [`<a href="../../gpus/${row.gpu}/">${escape(gpuBy.get(row.gpu)?.name ?? row.gpu)}</a>`, `${number(row.per_gpu_gib)} / ${number(row.capacity_gib)} GiB`, speed(row), row.usd_per_hour ? `<b>$${row.usd_per_hour.value.toFixed(2)}</b>/h <span class="interval">${escape(providerBy.get(row.offer?.provider)?.name ?? '')}</span>` : t.unknown]))}`}
${facts(t, number, model, ['id', 'name'])}${groups ? `<p class="notes">layer groups: ${groups}</p>` : ''}${sourceList(t, model.provenance)}`,
    });
    count++;
  }
}
for (const language of ['en', 'es']) {
  const t = text[language];
  const number = numberIn(language);
  await page(language, 'models/', {
    title: t.modelsTitle,
    description: fill(t.modelsLead, { n: models.length }),
    body: `<p class="lead">${fill(t.modelsLead, { n: models.length })}</p>${table([t.name, t.params, t.kind, t.org, t.release], models.map((model) => [`<a href="${model.id}/">${escape(model.name)}</a>`, model.params_total ? parameters(model.params_total) : t.unknown, escape(model.kind), escape(model.organization ?? ''), escape(model.release ?? '')]))}`,
  });
  await page(language, 'methods/', {
    title: t.methodsTitle,
    description: methods[language][4][1],
    body: methods[language].map(([title, formula, words]) => `<section><h2>${escape(title)}</h2><pre tabindex="0">${escape(formula)}</pre><p>${escape(words)}</p></section>`).join(''),
  });
  const counted = [['gpus.json', gpus.length], ['models/', models.length], ['quants.json', quants.length], ['providers.json', providers.length], ['offers/', offers.length], ['sources.json', sources.length]];
  await page(language, 'data/', {
    title: t.dataTitle,
    description: t.dataLead,
    body: `<p class="lead">${t.dataLead}</p><h2>${t.catalogs}</h2>${table([t.name, t.rows], counted.map(([name, n]) => [escape(name), number(n)]))}<h2>${t.sources}</h2><ul class="sources">${sources
      .map((source) => `<li>${source.link ? `<a href="${escape(source.link)}" rel="noopener">${escape(source.title)}</a>` : escape(source.title)}${source.read ? ` <span class="interval">${t.read} ${escape(source.read)}</span>` : ''}</li>`)
      .join('')}</ul>`,
  });
  await accuracyPage(language, { ...t, ...compareText[language] }, number);
}

/** Measured across, estimated up, both in logarithms; the line is where they agree, the band a factor of two. */
function densityPlot(t, { line, log10_low: low, log10_high: high, density }) {
  const size = 220;
  const step = size / details.bins;
  const most = Math.max(...density.map(([, , count]) => count));
  const squares = density.map(([x, y, count]) => `<rect x="${(x * step).toFixed(1)}" y="${(size - (y + 1) * step).toFixed(1)}" width="${step.toFixed(1)}" height="${step.toFixed(1)}" opacity="${(0.25 + 0.75 * Math.sqrt(count / most)).toFixed(2)}"/>`).join('');
  const two = (Math.log10(2) / (high - low)) * size;
  const label = fill(t.plotLabel, { line, low: `1e${low}`, high: `1e${high}` });
  return `<figure><svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${escape(label)}"><rect class="frame" width="${size}" height="${size}"/><g class="squares">${squares}</g><path class="same" d="M0 ${size}L${size} 0"/><path class="twice" d="M0 ${(size - two).toFixed(1)}L${(size - two).toFixed(1)} 0M${two.toFixed(1)} ${size}L${size} ${two.toFixed(1)}"/></svg><figcaption>${escape(line)} <span class="interval">${10 ** low >= 0.001 ? Number((10 ** low).toPrecision(2)) : `1e${low}`} – ${Number((10 ** high).toPrecision(2)).toLocaleString('en')}</span></figcaption></figure>`;
}

async function accuracyPage(language, t, number) {
  const percent = (line, key) => (line.judged > 0 && typeof line[key] === 'number' ? `${number(100 * line[key])} %` : t.unknown);
  const lead = fill(t.accuracyLead, { n: number(accuracy.rows) });
  const rows = accuracy.lines.map((line) => [escape(line.line), number(line.rows), number(line.judged), line.right === undefined ? percent(line, 'median_error') : `${percent(line, 'right')} ${t.right}`, line.right === undefined ? percent(line, 'p90_error') : '', line.right === undefined ? percent(line, 'coverage') : '']);
  const reasons = accuracy.not_modelled.map((entry) => [escape(entry.reason), number(entry.rows)]);
  await page(language, 'accuracy/', {
    title: t.accuracyTitle,
    description: lead,
    body: `<p class="lead">${lead}</p><p>${t.accuracyHow}</p>${table([t.domain, t.rows, t.judged, t.median, t.p90, t.coverage], rows)}<h2>${t.notModelled}</h2>${table([t.reason, t.rows], reasons)}
<h2>${t.plotTitle}</h2><p>${t.plotLead}</p><div class="plots">${details.lines.map((line) => densityPlot(t, line)).join('')}</div>
<h2>${t.groupsTitle}</h2>${details.lines.map((line) => `<details><summary>${escape(line.line)}</summary>${table([t.by, t.name, t.cells, t.median, t.p90], details.groups.filter((group) => group.line === line.line).map((group) => [escape(t.byWhat[group.by] ?? group.by), escape(gpuBy.get(group.name)?.name ?? group.name), number(group.cells), `${number(100 * group.median_error)} %`, `${number(100 * group.p90_error)} %`]))}</details>`).join('')}
<h2>${t.worstTitle}</h2><p>${t.worstLead}</p>${table([t.ratio, t.domain, t.measured, t.gpu, t.model, t.source], details.worst.map((row) => [`${number(row.estimate / row.measured)} ×`, escape(row.line), `${number(row.measured)} ${escape(row.unit)}`, escape(`${gpuBy.get(row.gpu)?.name ?? row.gpu}${row.gpu_count > 1 ? ` × ${row.gpu_count}` : ''}`), escape([row.model, row.software, row.precision].filter(Boolean).join(' · ')), `<span class="interval">${escape(row.id)} ${escape(row.source)}</span>`]))}`,
  });
}

const help = { page, engine, table, escape, fill, interval, numberIn, gpus, gpuBy, modelBy, providerBy, offers, text, historyFigure };
const compared = await writeComparisons(help);
await writeProviders(help);
await writeClaims({ ...help, claims: JSON.parse(await readFile(new URL('../public/generated/claims.json', import.meta.url), 'utf8')) });

await cp(new URL('../src/styles/static.css', import.meta.url), new URL('static.css', dist));
console.log(`static pages: ${count} of GPUs and models, ${compared} comparisons in each language`);
