import type { MarkerArguments, MarkerDefinition, MarkerFamily } from "../definition.ts";
import { listOfStrings, optional, singleValue, strings, text } from "../definition.ts";

/** The types and formats of a column that the API server accepts. */
const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** The settings of a kind's CRD besides its schema. */
export const kinds: MarkerFamily = {
  name: "kinds",
  title: "Kinds and their versions",
  markers: [
    kindMarker(
      "kubebuilder:resource",
      "Names and scope of the resource. Kind, plural and scope are set by defineKind; a marker that contradicts it is an error.",
      {
        path: optional("string", "plural resource name"),
        singular: optional("string"),
        scope: optional("string", "Namespaced or Cluster"),
        shortName: optional(listOfStrings, "short names: kubectl get po"),
        categories: optional(listOfStrings, "categories: kubectl get all"),
      },
    ),
    kindMarker(
      "kubebuilder:subresource:status",
      "Enables the status subresource: updates of the object ignore the status, and updates of the status everything else.",
    ),
    {
      ...kindMarker(
        "kubebuilder:subresource:scale",
        "Enables the scale subresource, for kubectl scale and autoscalers.",
        {
          specpath: { type: "string", summary: "JSONPath of the desired replicas: .spec.replicas" },
          statuspath: { type: "string", summary: "JSONPath of the actual replicas" },
          selectorpath: optional("string", "JSONPath of a label selector in string form, for autoscalers"),
        },
      ),
      check: (args) =>
        refuseRoot([".spec"], "specpath", args) ??
        refuseRoot([".status"], "statuspath", args) ??
        refuseRoot([".spec", ".status"], "selectorpath", args),
    },
    {
      ...kindMarker("kubebuilder:printcolumn", "A column of kubectl get, in the order of the markers.", {
        name: { type: "string" },
        type: { type: "string", summary: "integer, number, string, boolean or date" },
        JSONPath: { type: "string", summary: "JSONPath of the value: .status.phase" },
        description: optional("string"),
        format: optional("string"),
        priority: optional("int", "above 0: only with -o wide"),
      }),
      repeatable: true,
      check: (args) => refuseOther(columnTypes, "type", args) ?? refuseOther(columnFormats, "format", args),
    },
    {
      ...kindMarker("kubebuilder:selectablefield", "A field that can be used in field selectors.", {
        JSONPath: { type: "string", summary: "JSONPath of a field of type string, boolean or integer" },
      }),
      repeatable: true,
    },
    kindMarker(
      "kubebuilder:storageversion",
      "The version that objects are stored in; required if there are several versions.",
    ),
    kindMarker("kubebuilder:unservedversion", "The version is not served by the API server."),
    kindMarker("kubebuilder:deprecatedversion", "Responses for this version include a deprecation warning.", {
      warning: optional("string"),
    }),
    kindMarker("kubebuilder:skipversion", "The version is omitted from the CRD."),
    {
      ...kindMarker("kubebuilder:metadata", "Labels and annotations of the CRD.", {
        annotations: optional(listOfStrings, "key=value pairs"),
        labels: optional(listOfStrings, "key=value pairs"),
      }),
      repeatable: true,
      check(args) {
        const pairs = [...strings(args, "annotations"), ...strings(args, "labels")];
        const bad = pairs.find((pair) => !/^[^=]+=/u.test(pair));
        return bad === undefined ? undefined : `"${bad}" does not have the form key=value`;
      },
    },
    kindMarker("tsbuilder:conversion", "Versions are converted by the operator's conversion webhook.", {
      service: optional("string", "Default: webhook-service"),
      namespace: optional("string", "Default: system"),
      path: optional("string", "Default: /convert"),
      port: optional("int"),
      reviewVersions: optional(listOfStrings),
    }),
    {
      ...kindMarker("kubebuilder:object:root", "Marks a type as a kind in Go; here, defineKind does that."),
      arguments: singleValue("bool"),
    },
    {
      name: "kubebuilder:object:generate",
      targets: ["type", "package"],
      summary: "Generates a deep copy in Go; here, use structuredClone.",
      arguments: singleValue("bool"),
    },
  ],
};

/** Refuses a value of an argument that is not one of those allowed. */
function refuseOther(allowed: readonly string[], argument: string, args: MarkerArguments) {
  const value = text(args, argument);
  if (value === "" || allowed.includes(value)) return undefined;
  return `the ${argument} "${value}" is not one of ${allowed.join(", ")}`;
}

/** Refuses a JSONPath with another root than those allowed, as the API server does. */
function refuseRoot(roots: readonly string[], argument: string, args: MarkerArguments): string | undefined {
  const path = text(args, argument);
  if (path === "" || roots.some((root) => path.startsWith(`${root}.`))) return undefined;
  return `the ${argument} "${path}" is not in ${roots.join(" or ")}`;
}

function kindMarker(
  name: string,
  summary: string,
  args: MarkerDefinition["arguments"] = {},
): MarkerDefinition {
  return { name, targets: ["type"], summary, arguments: args };
}
