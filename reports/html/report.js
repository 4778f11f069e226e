/* The report's script, which is optional: it sorts and filters tables, shows one matrix at a time, and copies a table.
   All content is on the page without it. The build embeds it without this comment. */
'use strict';
(function () {
  function all(where, selector) {
    return Array.from(where.querySelectorAll(selector));
  }
  function make(tag, text, parent) {
    const element = document.createElement(tag);
    element.textContent = text;
    if (tag === 'button') element.type = 'button';
    parent.append(element);
    return element;
  }
  function words(cell) {
    return cell.innerText.replace(/\s+/g, ' ').trim();
  }
  function bodyRows(table) {
    return all(table, 'tbody tr');
  }
  // Numbers before texts, what is not known last.
  function sortKey(cell) {
    const text = cell.dataset.v || cell.textContent.trim();
    const number = parseFloat(text);
    return { text: text, number: number, empty: text === '' };
  }
  function compare(a, b) {
    if (a.empty !== b.empty) return a.empty ? 1 : -1;
    if (isNaN(a.number) !== isNaN(b.number)) return isNaN(a.number) ? 1 : -1;
    return isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number;
  }
  function sortBy(table, head, column) {
    const up = head.getAttribute('aria-sort') !== 'ascending';
    all(table, 'thead th').forEach(th => th.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const rows = bodyRows(table).map((row, order) => ({ row, order, key: sortKey(row.cells[column]) }));
    rows.sort((a, b) => {
      const way = compare(a.key, b.key);
      if (a.key.empty || b.key.empty) return way || a.order - b.order;
      return (up ? way : -way) || a.order - b.order;
    });
    table.tBodies[0].append(...rows.map(entry => entry.row));
  }
  function makeSortable(table) {
    all(table, 'thead th').forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'sort';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => sortBy(table, head, column));
    });
  }
  function filterRows(table, text) {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    bodyRows(table).forEach(row => {
      const content = row.textContent.toLowerCase();
      row.hidden = !wanted.every(word => content.includes(word));
    });
  }
  function tabSeparated(table) {
    const rows = all(table, 'tr').filter(row => !row.hidden);
    return rows.map(row => Array.from(row.cells, words).join('\t')).join('\n') + '\n';
  }
  // Pages that are not served securely have no clipboard but the old command.
  function copyOld(text) {
    const area = make('textarea', text, document.body);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
  function copy(text, button) {
    const name = button.textContent;
    const say = done => {
      button.textContent = done ? 'Copied' : 'Could not copy';
      setTimeout(() => { button.textContent = name; }, 1500);
    };
    if (!navigator.clipboard) return say(copyOld(text));
    navigator.clipboard.writeText(text).then(() => say(true), () => say(copyOld(text)));
  }
  function addTools(region, tables, label) {
    if (tables.length === 1 && bodyRows(tables[0]).length < 3) return null;
    const tools = document.createElement('div');
    tools.className = 'tools';
    region.before(tools);
    const current = () => tables.find(table => !table.closest('[hidden]')) || tables[0];
    const button = make('button', 'Copy', tools);
    button.title = 'Copies the table with tabs between its cells';
    button.addEventListener('click', () => copy(tabSeparated(current()), button));
    if (bodyRows(tables[0]).length > 5) {
      const filter = make('input', '', tools);
      filter.type = 'search';
      filter.placeholder = 'Filter rows';
      filter.setAttribute('aria-label', 'Filter rows of ' + label);
      filter.addEventListener('input', () => tables.forEach(table => filterRows(table, filter.value)));
    }
    return tools;
  }
  // The matrices of a bench take turns in the place of the first; on paper each is where it was.
  function addToggle(views, tools) {
    const homes = views.map(view => view.parentNode);
    const buttons = views.map(view => make('button', view.dataset.view, tools));
    let chosen = views[0];
    const show = () => views.forEach((view, i) => {
      if (i > 0) views[i - 1].after(view);
      view.hidden = view !== chosen;
      buttons[i].setAttribute('aria-pressed', String(view === chosen));
    });
    buttons.forEach((button, i) => button.addEventListener('click', () => {
      chosen = views[i];
      show();
    }));
    tools.prepend(...buttons);
    addEventListener('afterprint', show);
    addEventListener('beforeprint', () => views.forEach((view, i) => {
      view.hidden = false;
      if (i > 0) homes[i].append(view);
    }));
    show();
  }
  function setUpViews() {
    const benches = new Map();
    all(document, '.view').forEach(view => {
      const bench = view.dataset.bench;
      benches.set(bench, (benches.get(bench) || []).concat(view));
    });
    benches.forEach(views => {
      const tables = views.map(view => view.querySelector('table'));
      const tools = addTools(views[0], tables, views[0].getAttribute('aria-label'));
      if (views.length > 1) addToggle(views, tools);
    });
    const figures = document.getElementById('figures');
    if (!figures) return;
    const section = figures.closest('section');
    section.hidden = true;
    addEventListener('beforeprint', () => { section.hidden = false; });
    addEventListener('afterprint', () => { section.hidden = true; });
  }
  all(document, '.matrix, .all, .plain').forEach(makeSortable);
  all(document, '.all, .latency').forEach(table => {
    const region = table.closest('.scroll');
    addTools(region, [table], region.getAttribute('aria-label'));
  });
  all(document, 'code.copy').forEach(code => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copier';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', 'Copy the command');
    code.after(' ', button);
    button.addEventListener('click', () => copy(code.textContent, button));
  });
  setUpViews();
})();
