/** The fields of Ginkgo's report that are read here. */
export interface GinkgoReport {
  readonly SpecReports: readonly {
    readonly ContainerHierarchyTexts: readonly string[] | null;
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly State: string;
    readonly Failure?: { readonly Message: string };
  }[];
}

/** The result of a spec. */
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
