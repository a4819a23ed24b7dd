// Filters the matrix of providers and GPUs by name; without scripts the whole matrix stands there. A cell's link opens
// the list that it leads into.
const form = document.querySelector('form.filters');
const table = document.querySelector('table.matrix');
if (form && table) {
  form.hidden = false;
  const heads = [...table.querySelectorAll('thead th[data-name]')];
  const rows = [...table.querySelectorAll('tbody tr')];
  const holds = (element, text) => element.dataset.name.includes(text);
  const filter = () => {
    const gpu = form.elements.gpu.value.trim().toLowerCase();
    const provider = form.elements.provider.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !holds(row, gpu);
    heads.forEach((head, at) => {
      head.hidden = !holds(head, provider);
      for (const row of rows) row.cells[at + 1].hidden = head.hidden;
    });
  };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
}
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target?.closest('details');
  if (details) {
    details.open = true;
    target.scrollIntoView();
  }
};
addEventListener('hashchange', open);
open();
