import setFile from '../../../../data/arxiv-sets.json' with { type: 'json' };

/**
 * The OAI-PMH set `group[:archive[:CATEGORY]]` for a set, a category such as `q-fin.PM` or an archive
 * such as `hep-th`. Null for an unknown name, which arXiv would treat as a set without changes.
 */
export function setNamed(name: string): string | null {
  const wanted = name.trim().toLowerCase();
  for (const [group, archives] of Object.entries(setFile.groups)) {
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
