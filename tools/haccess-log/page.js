// The filter: a launch stays when each of the words is in its line or in what it unfolds to, and the choices fit.
(() => {
  const form = document.querySelector('form'), shown = form.querySelector('output');
  const runs = [...document.querySelectorAll('section.run')].map((element) => ({
    element,
    name: element.querySelector('header').textContent.toLowerCase(),
    launches: [...element.querySelectorAll('details.launch')].map((launch) => ({ launch, text: null })),
  }));
  const all = runs.flatMap((run) => run.launches);
  for (const select of form.querySelectorAll('select')) {
    const values = new Set(all.map(({ launch }) => launch.dataset[select.name]));
    for (const value of [...values].sort()) select.add(new Option(value, value));
  }
  const apply = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = [...form.querySelectorAll('select')].filter((s) => s.value !== '').map((s) => [s.name, s.value]);
    let count = 0;
    for (const run of runs) {
      let any = false;
      for (const entry of run.launches) {
        if (entry.text === null && words.length) entry.text = `${run.name} ${entry.launch.textContent.toLowerCase()}`;
        const stays = wanted.every(([name, value]) => entry.launch.dataset[name] === value) &&
          words.every((word) => entry.text.includes(word));
        entry.launch.hidden = !stays;
        any ||= stays;
        count += stays;
      }
      run.element.hidden = !any;
    }
    shown.textContent = count === all.length ? `${count} launches` : `${count} of ${all.length} launches`;
  };
  form.addEventListener('input', apply);
  form.addEventListener('change', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
