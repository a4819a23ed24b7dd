import { html, nothing, type TemplateResult } from 'lit';
import { number, readNumber, tokens } from '../format.js';
import { t, word } from '../i18n/index.js';
import type { Field } from '../state/fields.js';
import { get, set } from '../state/scenario.js';
import type { Store } from '../state/store.js';
import { providerName } from './names.js';

interface Option {
  readonly id: string;
  readonly name: string;
}

function optionsOf(store: Store, field: Field): readonly Option[] {
  const { index } = store.state;
  if (field.path === 'offer.provider') return [...(index?.providers ?? [])].map((p) => ({ id: p.id, name: providerName(index, p.id) })).sort((a, b) => a.name.localeCompare(b.name));
  if (field.path === 'ownership.country') return index?.countries ?? [];
  if (field.path === 'price.currency') return (index?.currencies ?? []).map(({ code }) => ({ id: code, name: code }));
  return (field.options ?? []).map((option) => ({ id: String(option), name: word('option', String(option)) }));
}

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []);

/** One control of the question, bound to its field of the scenario. `prefix` keeps ids apart where a field is shown twice. */
export function fieldControl(store: Store, field: Field, prefix = 'field'): TemplateResult {
  const { scenario, answer, error } = store.state;
  const asked = get(scenario, field.path);
  const effective = get(answer?.scenario, field.path);
  const id = `${prefix}-${field.path.replaceAll('.', '-')}`;
  const bad = error?.path !== undefined && error.path.replaceAll('/', '.') === field.path;
  const unit = field.unitKey ? t(field.unitKey) : field.unit;
  const change = (value: unknown) => store.change(set(store.state.scenario, field.path, value));
  const text = (event: Event) => (event.target as HTMLInputElement | HTMLSelectElement).value.trim();
  const label = html`<label for=${id}>${t(field.label)}</label>`;
  switch (field.control) {
    case 'flag':
      return html`<div class="field flag">
        <label class="check"><input id=${id} type="checkbox" .checked=${asked === true} @change=${(event: Event) => change((event.target as HTMLInputElement).checked || undefined)} />${t(field.label)}</label>
      </div>`;
    case 'choices': {
      const chosen = namesIn(asked);
      return html`<div class="field flag" role="group" aria-labelledby=${id}>
        <span class="label" id=${id}>${t(field.label)}</span>
        ${optionsOf(store, field).map(
          (option) =>
            html`<label class="check"
              ><input
                type="checkbox"
                .checked=${chosen.includes(option.id)}
                @change=${(event: Event) => {
                  const next = (event.target as HTMLInputElement).checked ? [...chosen, option.id] : chosen.filter((other) => other !== option.id);
                  change(next.length > 0 ? next : undefined);
                }}
              />${option.name}</label
            >`,
        )}
      </div>`;
    }
    case 'select': {
      const open = field.path === 'offer.provider' ? t('question.anyProvider') : typeof effective === 'string' && asked === undefined ? word('option', effective) : t('question.unset');
      return html`<div class="field">
        ${label}
        <select id=${id} aria-invalid=${bad ? 'true' : nothing} class=${asked === undefined ? 'open' : ''} @change=${(event: Event) => change(text(event))}>
          <option value="" .selected=${asked === undefined || asked === null}>${open}</option>
          ${optionsOf(store, field).map((option) => html`<option value=${option.id} .selected=${asked === option.id}>${option.name}</option>`)}
        </select>
      </div>`;
    }
    case 'text':
    case 'names': {
      const names = field.control === 'names';
      return html`<div class="field ${names ? 'flag' : ''}">
        ${label}
        <input
          id=${id}
          type="text"
          autocomplete="off"
          spellcheck="false"
          placeholder=${names ? 'RTX 4090, RTX 3090' : t('question.auto')}
          aria-invalid=${bad ? 'true' : nothing}
          .value=${names ? namesIn(asked).join(', ') : typeof asked === 'string' ? asked : ''}
          @change=${(event: Event) => {
            const list = text(event).split(',').map((name) => name.trim()).filter((name) => name !== '');
            change(names ? (list.length > 0 ? list : undefined) : text(event));
          }}
        />
      </div>`;
    }
    case 'number': {
      const hint = typeof effective !== 'number' ? t(field.open ?? 'question.auto') : field.unitKey === 'unit.tokens' ? tokens(effective) : effective >= 10_000 ? number(effective) : String(effective);
      return html`<div class="field">
        ${label}
        <span class="entry">
          <input
            id=${id}
            type="text"
            inputmode="decimal"
            autocomplete="off"
            list=${field.options ? `${id}-options` : nothing}
            placeholder=${hint}
            aria-invalid=${bad ? 'true' : nothing}
            aria-describedby=${unit ? `${id}-unit` : nothing}
            .value=${asked === undefined || asked === null ? '' : String(asked)}
            @change=${(event: Event) => {
              // A text that is no number goes to the core as it is: its message names the field.
              const typed = text(event);
              change(typed === '' ? undefined : (readNumber(typed) ?? typed));
            }}
          />
          ${unit ? html`<span class="unit" id="${id}-unit">${unit}</span>` : nothing}
        </span>
        ${field.options
          ? html`<datalist id="${id}-options">${field.options.map((o) => html`<option value=${o}>${typeof o === 'number' ? (field.unitKey === 'unit.tokens' ? tokens(o) : number(o)) : o}</option>`)}</datalist>`
          : nothing}
      </div>`;
    }
  }
}
