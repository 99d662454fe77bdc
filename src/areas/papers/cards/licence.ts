/** Licences that permit serving the sections, an adaptation of the paper, to others. */
const OPEN = /creativecommons\.org\/(?:licenses\/(?:by|by-sa)|publicdomain\/zero)\//i;

/** True when the full text may be served to anyone; false for an unknown licence. */
export function isOpenLicence(licenseUrl: string | null): boolean {
  return licenseUrl !== null && OPEN.test(licenseUrl);
}
