/** Licences under which the sections, an adaptation of the paper, may be served to others. */
const OPEN = /creativecommons\.org\/(?:licenses\/(?:by|by-sa)|publicdomain\/zero)\//i;

/** True where anyone may be served the full text; no known licence means no. */
export function isOpenLicence(licenseUrl: string | null): boolean {
  return licenseUrl !== null && OPEN.test(licenseUrl);
}
