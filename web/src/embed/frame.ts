import './frame.css';
import './which-gpu.js';

// A frame shows one widget of its address: the question in the query, how it looks in the fragment.
const looks = new URLSearchParams(location.hash.slice(1));
const widget = document.createElement('which-gpu');
widget.scenario = location.search.slice(1);
for (const name of ['view', 'gpus', 'theme', 'locale'] as const) {
  const value = looks.get(name);
  if (value) widget.setAttribute(name, value);
}
document.body.append(widget);

// The host learns the height, and nothing else; it is no secret, so any host may.
new ResizeObserver(() => parent.postMessage({ whichgpu: { height: Math.ceil(widget.getBoundingClientRect().height) } }, '*')).observe(widget);
