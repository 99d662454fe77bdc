/**
 * arXiv's category taxonomy: OAI-PMH group, archive, categories. '' for an archive without
 * categories.
 */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'q-fin': { 'q-fin': 'CP EC GN MF PM PR RM ST TR' },
  econ: { econ: 'EM GN TH' },
  stat: { stat: 'AP CO ME ML OT TH' },
  eess: { eess: 'AS IV SP SY' },
  'q-bio': { 'q-bio': 'BM CB GN MN NC OT PE QM SC TO' },
  cs: {
    cs: 'AI AR CC CE CG CL CR CV CY DB DC DL DM DS ET FL GL GR GT HC IR IT LG LO MA MM MS NA NE NI OH OS PF PL RO SC SD SE SI SY',
  },
  math: {
    math: 'AC AG AP AT CA CO CT CV DG DS FA GM GN GR GT HO IT KT LO MG MP NA NT OA OC PR QA RA RT SG SP ST',
  },
  physics: {
    'astro-ph': 'CO EP GA HE IM SR',
    'cond-mat': 'dis-nn mes-hall mtrl-sci other quant-gas soft stat-mech str-el supr-con',
    'gr-qc': '',
    'hep-ex': '',
    'hep-lat': '',
    'hep-ph': '',
    'hep-th': '',
    'math-ph': '',
    nlin: 'AO CD CG PS SI',
    'nucl-ex': '',
    'nucl-th': '',
    physics:
      'acc-ph ao-ph app-ph atm-clus atom-ph bio-ph chem-ph class-ph comp-ph data-an ed-ph flu-dyn gen-ph geo-ph hist-ph ins-det med-ph optics plasm-ph pop-ph soc-ph space-ph',
    'quant-ph': '',
  },
};

/**
 * The OAI-PMH set `group[:archive[:CATEGORY]]` for a set, a category such as `q-fin.PM` or an archive
 * such as `hep-th`. Null for an unknown name, which arXiv would treat as a set without changes.
 */
export function setNamed(name: string): string | null {
  const wanted = name.trim().toLowerCase();
  for (const [group, archives] of Object.entries(GROUPS)) {
    for (const [archive, categories] of Object.entries(archives)) {
      const set = `${group}:${archive}`;
      if (wanted === group) return group;
      if (wanted === set || wanted === archive) return set;
      for (const category of categories.split(' ')) {
        const names = [`${set}:${category}`, `${archive}.${category}`];
        if (names.some((each) => each.toLowerCase() === wanted)) return `${set}:${category}`;
      }
    }
  }
  return null;
}
