import type { MarkerArguments, MarkerFamily } from "../definition.ts";
import { listOfStrings, optional, strings, text } from "../definition.ts";
import { descriptorsKey } from "../../model/schema.ts";

export const descriptorMarker = "operator-sdk:csv:customresourcedefinitions";

/** Names and order of kinds and fields in OLM's console. Only `tsbuilder bundle` reads them: CRDs do not change. */
export const descriptors: MarkerFamily = {
  name: "descriptors",
  title: "Kinds and fields in OLM's console",
  markers: [
    {
      name: descriptorMarker,
      targets: ["field", "type"],
      summary: "How OLM's console shows a kind, or a field of its spec or status: for tsbuilder bundle.",
      arguments: {
        displayName: optional("string", "Default: the name, in words"),
        order: optional("int", "position; without it, after all that have one"),
        resources: optional(
          { type: "list", item: listOfStrings },
          "on a kind: what it consists of, as {{Kind,version,name}}; names may be omitted",
        ),
        type: optional("string", "on a field: spec or status"),
        xDescriptors: optional(listOfStrings, "on a field: urn:alm:descriptor:…"),
      },
      repeatable: true,
      check: (args) => checkType(args) ?? checkResources(args),
      apply(schema, args, { target }) {
        if (target === "type") return undefined;
        const type = text(args, "type");
        if (type === "") return "a field has the type spec or status";
        const descriptor = {
          type,
          displayName: args["displayName"] as string | undefined,
          order: args["order"] === undefined ? undefined : Number(args["order"]),
          xDescriptors: strings(args, "xDescriptors"),
        };
        schema[descriptorsKey] = [...(schema[descriptorsKey] ?? []), descriptor];
        return undefined;
      },
    },
  ],
};

function checkType(args: MarkerArguments): string | undefined {
  const type = text(args, "type");
  return ["", "spec", "status"].includes(type) ? undefined : `the type "${type}" is not one of spec, status`;
}

function checkResources(args: MarkerArguments): string | undefined {
  const resources = (args["resources"] ?? []) as readonly (readonly string[])[];
  const short = resources.find(({ length }) => length < 2 || length > 3);
  return (
    short && `the resource {${short.join(",")}} does not have the form {Kind,version} or {Kind,version,name}`
  );
}
