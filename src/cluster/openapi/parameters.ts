type Type = "string" | "boolean" | "integer";

/** A parameter of an operation, in the path or in the query. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description?: string;
  readonly required?: true;
  readonly schema: { readonly type: Type; readonly uniqueItems: true };
}

const inQuery = (name: string, type: Type = "string"): Parameter => ({
  name,
  in: "query",
  schema: { type, uniqueItems: true },
});

const inPath = (name: string, description?: string): Parameter => ({
  name,
  in: "path",
  ...(description !== undefined && { description }),
  required: true,
  schema: { type: "string", uniqueItems: true },
});

export const pretty = inQuery("pretty");
export const resourceVersion = inQuery("resourceVersion");

const dryRun = inQuery("dryRun");
export const writing = [dryRun, inQuery("fieldManager"), inQuery("fieldValidation")];
export const patching = [...writing, inQuery("force", "boolean")];
export const deleting = [
  dryRun,
  inQuery("gracePeriodSeconds", "integer"),
  inQuery("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
  inQuery("orphanDependents", "boolean"),
  inQuery("propagationPolicy"),
];

const selecting = [
  inQuery("continue"),
  inQuery("fieldSelector"),
  inQuery("labelSelector"),
  inQuery("limit", "integer"),
  resourceVersion,
  inQuery("resourceVersionMatch"),
  inQuery("sendInitialEvents", "boolean"),
  inQuery("shardSelector"),
  inQuery("timeoutSeconds", "integer"),
];
export const listing = [inQuery("allowWatchBookmarks", "boolean"), ...selecting, inQuery("watch", "boolean")];
export const deletingCollection = [...selecting, ...deleting];

/**
 * The query parameters of subresources that connect to containers, nodes and services, by the kind of their options.
 */
export const connecting: Readonly<Record<string, readonly Parameter[]>> = {
  PodAttachOptions: streams(),
  PodExecOptions: [inQuery("command"), ...streams()],
  PodPortForwardOptions: [inQuery("ports", "integer")],
  PodProxyOptions: [inQuery("path")],
  ServiceProxyOptions: [inQuery("path")],
  NodeProxyOptions: [inQuery("path")],
};

function streams(): Parameter[] {
  return [
    inQuery("container"),
    ...["stderr", "stdin", "stdout", "tty"].map((name) => inQuery(name, "boolean")),
  ];
}

export const logging = [
  inQuery("container"),
  inQuery("follow", "boolean"),
  inQuery("insecureSkipTLSVerifyBackend", "boolean"),
  inQuery("limitBytes", "integer"),
  pretty,
  inQuery("previous", "boolean"),
  inQuery("sinceSeconds", "integer"),
  inQuery("stream"),
  inQuery("tailLines", "integer"),
  inQuery("timestamps", "boolean"),
];

/** The parameters in a path of a kind. */
export function pathParameters(path: string, kind: string): Parameter[] {
  const descriptions: Readonly<Record<string, string>> = { name: `name of the ${kind}` };
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => inPath(name, descriptions[name]));
}
