import '../styles/page.css';
import './make.css';
import './which-gpu.js';
import { isLanguage, languages, setLanguage, t } from '../i18n/index.js';
import type { WhichGpu } from './which-gpu.js';

const site = new URL('../', location.href);
const field = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const link = field<HTMLInputElement>('link');
const view = field<HTMLSelectElement>('view');
const theme = field<HTMLSelectElement>('theme');
const locale = field<HTMLSelectElement>('locale');
const gpus = field<HTMLInputElement>('gpus');
const preview = field<WhichGpu>('preview');
const script = new URL(import.meta.env.DEV ? '../src/embed/which-gpu.ts' : '../which-gpu.js', location.href).href;

const quoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** The snippets say what the fields say; each host takes one of them. */
function update(): void {
  const query = link.value.replace(/^[^?]*\?/, '').replace(/#.*$/, '');
  const attributes = { scenario: query, view: view.value, ...(view.value === 'compare' ? { gpus: gpus.value } : {}), ...(theme.value === 'auto' ? {} : { theme: theme.value }), ...(locale.value === 'en' ? {} : { locale: locale.value }) };
  for (const name of ['scenario', 'view', 'gpus', 'theme', 'locale'] as const) {
    const value = (attributes as Readonly<Record<string, string>>)[name];
    if (value === undefined) preview.removeAttribute(name);
    else preview.setAttribute(name, value);
  }
  const tag = `<which-gpu ${Object.entries(attributes).map(([name, value]) => `${name}="${quoted(value)}"`).join(' ')}></which-gpu>`;
  const frame = new URL(`embed/frame.html?${query}`, site);
  frame.hash = new URLSearchParams(Object.entries(attributes).filter(([name]) => name !== 'scenario')).toString();
  field('html').textContent = `<script type="module" src="${script}"></script>\n${tag}`;
  field('iframe').textContent = `<iframe src="${quoted(frame.href)}" title="WhichGPU" width="100%" height="${view.value === 'table' ? 330 : 160}" style="border:0" loading="lazy"></iframe>`;
  field('markdown').textContent = `[WhichGPU](${new URL(`?${query}`, site).href})`;
  field('gpus-field').hidden = view.value !== 'compare';
}

for (const control of [link, view, theme, locale, gpus]) control.addEventListener('input', update);
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(field(button.dataset['copy'] ?? '').textContent ?? '').then(() => (button.textContent = t('export.copied')));
  });
}
locale.replaceChildren(...Object.entries(languages).map(([id, name]) => new Option(name, id)));
const asked = navigator.language.slice(0, 2);
void setLanguage(isLanguage(asked) ? asked : 'en').then(update);
