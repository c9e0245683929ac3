/** The controllers that a cluster can run, as `--controllers` names them. */
export const controllerNames = [
  "garbagecollector",
  "namespace",
  "serviceaccount",
  "deployment",
  "replicaset",
  "statefulset",
  "daemonset",
  "job",
  "cronjob",
  "endpoints",
  "endpointslice",
  "disruption",
  "resourcequota",
  "persistentvolume",
  "scheduler",
  "node",
  "kubelet",
  "stage",
] as const;

export type ControllerName = (typeof controllerNames)[number];

/** Reads a choice of controllers: `all`, `none`, or names with commas. Unknown names are given back. */
export function parseControllerNames(text: string): {
  names: readonly ControllerName[];
  unknown: readonly string[];
} {
  if (text === "all") return { names: controllerNames, unknown: [] };
  if (text === "none" || text === "") return { names: [], unknown: [] };
  const words = text.split(",").map((word) => word.trim());
  return {
    names: controllerNames.filter((name) => words.includes(name)),
    unknown: words.filter((word) => !controllerNames.some((name) => name === word)),
  };
}
