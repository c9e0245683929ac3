import { Document, parse, visit } from "yaml";

/** YAML as Go writes it: sorted keys, lists not indented, and double quotes around text that looks like another type. */
export function toYAML(value: unknown): string {
  const document = new Document(value, { version: "1.1", sortMapEntries: true });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value !== "string") return;
      if (looksLikeOther(node.value)) node.type = "QUOTE_DOUBLE";
      else if (node.value.includes("'") && needsQuotes(node.value)) node.type = "QUOTE_SINGLE";
    },
  });
  const text = document.toString({ indentSeq: false, lineWidth: 80, minContentWidth: 0, singleQuote: true });
  return text.replace(/^(\s*(?:- )?)"\.": /gm, "$1.: ");
}

function looksLikeOther(text: string): boolean {
  if (/^(?:y|n|yes|no|on|off|true|false|null|~|)$/i.test(text)) return true;
  return (
    /^[-+]?[.\d][\w.:+-]*$/.test(text) &&
    typeof parse(text, { version: "1.1", logLevel: "silent" }) !== "string"
  );
}

function needsQuotes(text: string): boolean {
  return !text.includes("\n") && new Document(text).toString({ lineWidth: 0 }).startsWith('"');
}
