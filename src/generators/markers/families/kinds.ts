import {
  listOfStrings,
  type MarkerArguments,
  type MarkerDefinition,
  type MarkerFamily,
  singleValue,
  text,
} from "../definition.ts";

/** What a kind's CRD says besides its schema. */
export const kinds: MarkerFamily = {
  name: "kinds",
  title: "Kinds and their versions",
  markers: [
    kindMarker(
      "kubebuilder:resource",
      "Names and scope. Kind, plural and scope are told to defineKind; a marker that says otherwise is an error.",
      {
        path: { type: "string", optional: true, summary: "the plural" },
        singular: { type: "string", optional: true },
        scope: { type: "string", optional: true, summary: "Namespaced or Cluster" },
        shortName: { ...listOfStrings, optional: true, summary: "what people type: kubectl get po" },
        categories: { ...listOfStrings, optional: true, summary: "groups of kinds: kubectl get all" },
      },
    ),
    kindMarker(
      "kubebuilder:subresource:status",
      "The status has its own endpoint: writes to the object leave it alone, and the other way round.",
    ),
    {
      ...kindMarker(
        "kubebuilder:subresource:scale",
        "kubectl scale and the autoscaler can set the number of replicas.",
        {
          specpath: { type: "string", summary: "the field to set: .spec.replicas" },
          statuspath: { type: "string", summary: "the field that tells the number there is" },
          selectorpath: {
            type: "string",
            optional: true,
            summary: "a selector in string form, for the autoscaler",
          },
        },
      ),
      check: (args) =>
        outside([".spec"], "specpath", args) ??
        outside([".status"], "statuspath", args) ??
        outside([".spec", ".status"], "selectorpath", args),
    },
    {
      ...kindMarker(
        "kubebuilder:printcolumn",
        "A column of kubectl get. Columns keep the order of their markers.",
        {
          name: { type: "string" },
          type: { type: "string", summary: "integer, number, string, boolean or date" },
          JSONPath: { type: "string", summary: "the value: .status.phase" },
          description: { type: "string", optional: true },
          format: { type: "string", optional: true },
          priority: { type: "int", optional: true, summary: "above 0: only with -o wide" },
        },
      ),
      check: (args) => otherThan(columnTypes, "type", args) ?? otherThan(columnFormats, "format", args),
    },
    kindMarker("kubebuilder:selectablefield", "A field that --field-selector understands.", {
      JSONPath: { type: "string", summary: "a field of type string, boolean or integer" },
    }),
    kindMarker(
      "kubebuilder:storageversion",
      "The version in which objects are stored; needed with several versions.",
    ),
    kindMarker("kubebuilder:unservedversion", "The version is not served."),
    kindMarker("kubebuilder:deprecatedversion", "Requests for this version answer with a warning.", {
      warning: { type: "string", optional: true },
    }),
    kindMarker("kubebuilder:skipversion", "The version is left out of the CRD."),
    {
      ...kindMarker("kubebuilder:metadata", "Labels and annotations of the CRD itself.", {
        annotations: { ...listOfStrings, optional: true, summary: "key=value pairs" },
        labels: { ...listOfStrings, optional: true, summary: "key=value pairs" },
      }),
      check(args) {
        const pairs = [args["annotations"] ?? [], args["labels"] ?? []].flat() as string[];
        const bad = pairs.find((pair) => !/^[^=]+=/u.test(pair));
        return bad === undefined ? undefined : `"${bad}" is not of the form key=value`;
      },
    },
    {
      name: "tsbuilder:conversion",
      targets: ["type"],
      summary: "Versions are converted by the operator's webhook.",
      arguments: {
        service: { type: "string", optional: true, summary: "webhook-service unless said otherwise" },
        namespace: { type: "string", optional: true, summary: "system unless said otherwise" },
        path: { type: "string", optional: true, summary: "/convert unless said otherwise" },
        port: { type: "int", optional: true },
        reviewVersions: { ...listOfStrings, optional: true },
      },
    },
    {
      ...kindMarker("kubebuilder:object:root", "Says that a type is a kind; defineKind does that here."),
      arguments: singleValue("bool"),
    },
    {
      name: "kubebuilder:object:generate",
      targets: ["type", "package"],
      summary: "Asks for a deep copy in Go; here structuredClone is one.",
      arguments: singleValue("bool"),
    },
  ],
};

/** What the API server takes for a column. */
const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function otherThan(allowed: readonly string[], argument: string, args: MarkerArguments): string | undefined {
  const value = text(args, argument);
  if (value === "" || allowed.includes(value)) return undefined;
  return `the ${argument} "${value}" is none of ${allowed.join(", ")}`;
}

function outside(roots: readonly string[], argument: string, args: MarkerArguments): string | undefined {
  const path = text(args, argument);
  if (path === "" || roots.some((root) => path.startsWith(`${root}.`))) return undefined;
  return `the ${argument} "${path}" is not below ${roots.join(" or ")}`;
}

function kindMarker(
  name: string,
  summary: string,
  args: MarkerDefinition["arguments"] = {},
): MarkerDefinition {
  return { name, targets: ["type"], summary, arguments: args };
}
