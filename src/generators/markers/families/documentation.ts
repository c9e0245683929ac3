import { fieldAndType, keyMarker, type MarkerFamily, optional, singleValue, text } from "../definition.ts";

export const documentation: MarkerFamily = {
  name: "documentation",
  title: "Titles, links and the length of descriptions",
  markers: [
    {
      ...keyMarker(
        "kubebuilder:title",
        "title",
        { type: "any", read: text },
        "A short title for user interfaces.",
      ),
      forItems: false,
      check: (args) =>
        typeof args[""] === "string" ? undefined : "a title is a string: put it in double quotes",
    },
    {
      name: "kubebuilder:externalDocs",
      targets: fieldAndType,
      summary: "A link to external documentation.",
      arguments: { url: { type: "string" }, description: optional("string") },
      check: (args) =>
        URL.canParse(text(args, "url")) || text(args, "url").startsWith("/")
          ? undefined
          : `"${text(args, "url")}" is not a valid URL; include the scheme: https://…`,
      apply(schema, args) {
        const description = args["description"] ? text(args, "description") : undefined;
        schema.externalDocs = { url: text(args, "url"), description };
        return undefined;
      },
    },
    {
      name: "tsbuilder:maxDescLen",
      targets: fieldAndType,
      summary:
        "Limits descriptions of this field or type, and everything in it, to this number of bytes; 0 removes them.",
      arguments: singleValue("int"),
    },
  ],
};
