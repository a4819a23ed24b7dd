import { css } from 'lit';

/** Nothing is taken from the host but its colour scheme and the accent it may set; nothing is given to it. */
export const styles = css`
  :host {
    all: initial;
    display: block;
    color-scheme: light dark;
    --paper: light-dark(#fbfbf8, #131519);
    --ink: light-dark(#16181d, #e9e9e4);
    --ink-2: light-dark(#565b64, #a2a7b1);
    --line: light-dark(#d9d9d2, #343943);
    --free: light-dark(#e2e2db, #31363f);
    --used: light-dark(#6f7784, #868e9b);
    --accent: var(--which-gpu-accent, light-dark(#1f4fc4, #93b2ff));
    --fits: light-dark(#0b7447, #54c78e);
    --tight: light-dark(#8a5800, #dfa744);
    --offload: light-dark(#6b3fb8, #b99cf5);
    --no: light-dark(#b2281f, #f38a80);
    --off: light-dark(#666b74, #9a9fa9);
    font: 14px/1.4 system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif;
    font-variant-numeric: tabular-nums;
    color: var(--ink);
    background: var(--paper);
    border: 1px solid var(--line);
    border-radius: 3px;
    padding: 12px 14px;
    text-align: start;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  :host([hidden]) {
    display: none;
  }
  .box {
    min-block-size: 94px;
    display: flex;
    flex-direction: column;
    gap: 8px;
  }
  p {
    margin: 0;
    font-size: 15px;
  }
  b {
    font-weight: 650;
  }
  a {
    color: var(--accent);
    text-underline-offset: 3px;
  }
  a:focus-visible,
  .scroll:focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  .foot {
    margin-block-start: auto;
    font-size: 12px;
  }
  .foot,
  .unit,
  .interval,
  .amount {
    color: var(--ink-2);
  }
  .interval,
  .unit,
  .amount {
    font-size: 0.9em;
  }
  .scroll {
    position: relative;
    overflow-x: auto;
  }
  table {
    border-collapse: collapse;
    inline-size: 100%;
    font: inherit;
    color: inherit;
  }
  th,
  td {
    text-align: start;
    font-weight: 400;
    padding: 4px 12px 4px 0;
    border-block-end: 1px solid var(--line);
    vertical-align: top;
  }
  thead th {
    color: var(--ink-2);
    font-size: 12px;
  }
  .number {
    font-weight: 600;
  }
  .quantity,
  .verdict {
    white-space: nowrap;
  }
  .bar {
    display: block;
    inline-size: 100%;
    block-size: 6px;
  }
  .bar .free {
    fill: var(--free);
  }
  .bar .used {
    fill: var(--tone, var(--used));
  }
  .bar .over {
    fill: var(--no);
    opacity: 0.45;
  }
  .bar .edge {
    fill: var(--ink);
  }
  [data-verdict='fits'] {
    --tone: var(--fits);
  }
  [data-verdict='tight'] {
    --tone: var(--tight);
  }
  [data-verdict='offload'] {
    --tone: var(--offload);
  }
  [data-verdict='does_not_fit'] {
    --tone: var(--no);
  }
  [data-verdict='unknown'],
  [data-verdict='unsupported'] {
    --tone: var(--off);
  }
  .verdict {
    color: var(--tone);
    font-weight: 600;
  }
  .mark {
    fill: var(--tone);
    margin-inline-end: 5px;
  }
  .mark .ring,
  .mark .stroke {
    fill: none;
    stroke: var(--tone);
    stroke-width: 1.4;
  }
  .dot {
    display: inline-block;
    inline-size: 5px;
    block-size: 5px;
    border-radius: 50%;
    background: var(--accent);
    margin-inline-start: 5px;
    vertical-align: 2px;
  }
  .sr {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  iframe {
    border: 0;
    inline-size: 100%;
    block-size: 160px;
  }
`;
