/** The settings that a host or a registry may ask its user for, by variable name. */
export const SETTINGS = {
  FRED_API_KEY: {
    title: 'FRED key (optional)',
    description:
      'Your own key, free at https://fred.stlouisfed.org/docs/api/api_key.html, for all 56 macro indicators and their vintages.',
    isSecret: true,
    isFolder: false,
  },
  QUANTSHELF_HOME: {
    title: 'Folder of the shelf (optional)',
    description:
      "Where papers, figures, events and the search model are kept. Left blank: the system's folder for application data.",
    isSecret: false,
    isFolder: true,
  },
} as const;
