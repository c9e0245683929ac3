/** What is read of the report that Ginkgo writes. */
export interface GinkgoReport {
  readonly SpecReports: readonly {
    readonly ContainerHierarchyTexts: readonly string[] | null;
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly State: string;
    readonly Failure?: { readonly Message: string };
  }[];
}

/** What became of a spec. */
export interface Verdict {
  readonly spec: string;
  readonly passed: boolean;
  /** Why it failed. */
  readonly message: string;
}

/** The specs of a report that ran, sorted by name. */
export function readVerdicts(reports: readonly GinkgoReport[]): Verdict[] {
  return reports
    .flatMap(({ SpecReports }) => SpecReports)
    .filter(({ LeafNodeType, State }) => LeafNodeType === "It" && State !== "skipped" && State !== "pending")
    .map(({ ContainerHierarchyTexts, LeafNodeText, State, Failure }) => ({
      spec: [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" "),
      passed: State === "passed",
      message: Failure?.Message ?? "",
    }))
    .sort((a, b) => (a.spec < b.spec ? -1 : 1));
}
