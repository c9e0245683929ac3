// The classes of API changes, as a table: the severity of each, and whom it breaks. The reference page of the book is made from it.

/** The parties that a change can break: objects that are stored, programs that read and write them, and those who apply manifests. */
export type Party = "stored objects" | "clients" | "appliers";

export type ChangeSeverity = "error" | "warning" | "none";

interface Rule {
  /** The severity. `witness` means: an error if a witness was found, otherwise a warning. */
  readonly severity: ChangeSeverity | "witness";
  readonly breaks: readonly Party[];
  /** A short description, for the book and for SARIF. */
  readonly summary: string;
}

const everyone = ["stored objects", "clients", "appliers"] as const;
const writers = ["stored objects", "appliers"] as const;

/** All classes, in the order of a CRD's fields. */
export const rules = {
  "crd-removed": rule("error", everyone, "the CRD of the kind was removed"),
  "crd-added": rule("none", [], "the kind was added"),
  "scope-changed": rule("error", everyone, "a namespaced kind became cluster-scoped, or the reverse"),
  "kind-changed": rule("error", everyone, "the objects of the resource have another kind"),
  "name-removed": rule(
    "warning",
    ["clients"],
    "a short name, a category, the singular name or the list kind was removed",
  ),
  "version-removed": rule("error", ["clients", "appliers"], "the version was removed"),
  "version-unserved": rule("error", ["clients", "appliers"], "the version is no longer served"),
  "unserved-version-removed": rule(
    "warning",
    ["stored objects"],
    "a version that was not served was removed, but objects may be stored in it",
  ),
  "version-added": rule("none", [], "the version was added"),
  "version-loses-data": rule(
    "error",
    ["stored objects", "clients"],
    "a version without conversion lacks fields of the storage version, or has more",
  ),
  "storage-version-changed": rule("warning", ["stored objects"], "objects are stored in another version"),
  "conversion-changed": rule("error", ["stored objects", "clients"], "the conversion strategy changed"),
  "status-removed": rule("error", ["clients"], "the status is no longer a subresource"),
  "status-added": rule(
    "warning",
    ["clients", "appliers"],
    "the status became a subresource: other writes ignore it",
  ),
  "scale-removed": rule("error", ["clients"], "the scale subresource was removed"),
  "scale-changed": rule("warning", ["clients"], "the scale subresource reads or writes other fields"),
  "column-changed": rule("none", [], "kubectl get shows other columns"),
  "selectable-field-removed": rule("error", ["clients"], "field selectors can no longer name the field"),
  "field-removed": rule("error", everyone, "the field was removed"),
  "field-renamed": rule("error", everyone, "the field was removed, and a new field has the same schema"),
  "field-added": rule("none", [], "an optional field was added"),
  "required-added": rule("witness", writers, "the field became required"),
  "required-removed": rule("warning", ["clients"], "the field became optional"),
  "type-changed": rule("error", everyone, "the type of the field changed"),
  "type-widened": rule("warning", ["clients"], "the field accepts values of another type, too"),
  "nullable-removed": rule("witness", writers, "the field can no longer be null"),
  "nullable-added": rule("warning", ["clients"], "the field may be null"),
  "enum-narrowed": rule("witness", writers, "fewer values are allowed"),
  "enum-widened": rule("warning", ["clients"], "more values are allowed, which clients do not know"),
  "bound-narrowed": rule("witness", writers, "a minimum, a maximum or multipleOf allows fewer values"),
  "bound-widened": rule("none", [], "a minimum, a maximum or multipleOf allows more values"),
  "pattern-changed": rule("witness", writers, "the pattern changed"),
  "format-changed": rule("witness", writers, "the format changed"),
  "alternatives-changed": rule("witness", writers, "allOf, anyOf, oneOf or not changed"),
  "rule-added": rule("witness", writers, "a CEL rule was added"),
  "rule-changed": rule("witness", writers, "a CEL rule changed"),
  "rule-removed": rule("none", [], "a CEL rule was removed"),
  "default-added": rule("warning", everyone, "an object without the field gets a value"),
  "default-changed": rule("error", ["clients", "appliers"], "an object without the field gets another value"),
  "default-removed": rule("error", everyone, "an object without the field no longer gets a value"),
  "unknown-fields-pruned": rule("error", everyone, "fields that are not in the schema are dropped"),
  "unknown-fields-kept": rule("none", [], "fields that are not in the schema are stored"),
  "embedded-resource-changed": rule("witness", writers, "the value must be a Kubernetes object"),
  "list-type-changed": rule("witness", writers, "the list is merged in another way"),
  "map-keys-changed": rule("error", writers, "other keys identify the items of the list"),
  "map-type-changed": rule("warning", ["appliers"], "the object is merged in another way"),
} as const satisfies Record<string, Rule>;

export type ChangeRule = keyof typeof rules;

/** Returns true if a text is the name of a class. */
export function isChangeRule(name: string): name is ChangeRule {
  return Object.hasOwn(rules, name);
}

function rule(severity: Rule["severity"], breaks: readonly Party[], summary: string): Rule {
  return { severity, breaks, summary };
}
