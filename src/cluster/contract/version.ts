/** The Kubernetes version that the server reports; clients compare major and minor. */
export const versionInfo = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.0+tsbuilder",
  gitCommit: "0000000000000000000000000000000000000000",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "tsbuilder",
  platform: "any/any",
} as const;
