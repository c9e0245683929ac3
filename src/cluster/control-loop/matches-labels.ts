/** Tells whether labels hold all of the wanted ones: how services and node selectors choose. */
export function matchesLabels(
  wanted: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}
