// The classes of changes of an API, as a table: whom each breaks, and how severe it is. The book's page shows it.

/** Whom a change breaks: objects that are stored, programs that read and write them, and those who apply manifests. */
export type Party = "stored objects" | "clients" | "appliers";

export type ChangeSeverity = "error" | "warning" | "none";

interface Rule {
  /** The severity. `witness`: an error if there is a witness, and otherwise a warning. */
  readonly severity: ChangeSeverity | "witness";
  readonly breaks: readonly Party[];
  /** What has changed, for the book and for SARIF. */
  readonly summary: string;
}

const everyone = ["stored objects", "clients", "appliers"] as const;
const writers = ["stored objects", "appliers"] as const;

/** All classes, in the order of a CRD's fields. */
export const rules = {
  "crd-removed": rule("error", everyone, "the kind has no CRD any more"),
  "crd-added": rule("none", [], "the kind is new"),
  "scope-changed": rule(
    "error",
    everyone,
    "the kind is namespaced instead of cluster-scoped, or the reverse",
  ),
  "kind-changed": rule("error", everyone, "objects of the resource have another kind"),
  "name-removed": rule(
    "warning",
    ["clients"],
    "a short name, a category, the singular or the kind of lists is gone",
  ),
  "version-removed": rule("error", ["clients", "appliers"], "the version is gone"),
  "version-unserved": rule("error", ["clients", "appliers"], "the version is no longer served"),
  "unserved-version-removed": rule(
    "warning",
    ["stored objects"],
    "a version that was not served is gone, in which objects may be stored",
  ),
  "version-added": rule("none", [], "the version is new"),
  "version-loses-data": rule(
    "error",
    ["stored objects", "clients"],
    "versions without a conversion have different schemas",
  ),
  "storage-version-changed": rule("warning", ["stored objects"], "objects are stored in another version"),
  "conversion-changed": rule("error", ["stored objects", "clients"], "the strategy of conversion is another"),
  "status-removed": rule("error", ["clients"], "the status is no subresource any more"),
  "status-added": rule(
    "warning",
    ["clients", "appliers"],
    "the status is a subresource now: other writes ignore it",
  ),
  "scale-removed": rule("error", ["clients"], "the scale subresource is gone"),
  "scale-changed": rule("warning", ["clients"], "the scale subresource reads or writes other fields"),
  "column-changed": rule("none", [], "kubectl get shows other columns"),
  "selectable-field-removed": rule("error", ["clients"], "field selectors can't name the field any more"),
  "field-removed": rule("error", everyone, "the field is gone"),
  "field-renamed": rule("error", everyone, "the field is gone, and a new one has its schema"),
  "field-added": rule("none", [], "the field is new and optional"),
  "required-added": rule("witness", writers, "the field is required"),
  "required-removed": rule("warning", ["clients"], "the field may be absent"),
  "type-changed": rule("error", everyone, "the field has another type"),
  "type-widened": rule("warning", ["clients"], "the field admits another type, too"),
  "nullable-removed": rule("witness", writers, "the field can't be null any more"),
  "nullable-added": rule("warning", ["clients"], "the field may be null"),
  "enum-narrowed": rule("witness", writers, "fewer values are allowed"),
  "enum-widened": rule("warning", ["clients"], "more values are allowed than clients know"),
  "bound-narrowed": rule("witness", writers, "a minimum, a maximum or a multiple allows less"),
  "bound-widened": rule("none", [], "a minimum, a maximum or a multiple allows more"),
  "pattern-changed": rule("witness", writers, "the pattern is another"),
  "format-changed": rule("witness", writers, "the format is another"),
  "alternatives-changed": rule("witness", writers, "allOf, anyOf, oneOf or not are others"),
  "rule-added": rule("witness", writers, "there is another CEL rule"),
  "rule-changed": rule("witness", writers, "a CEL rule is another"),
  "rule-removed": rule("none", [], "a CEL rule is gone"),
  "default-added": rule("warning", everyone, "an object without the field gets a value"),
  "default-changed": rule("error", ["clients", "appliers"], "an object without the field gets another value"),
  "default-removed": rule("error", everyone, "an object without the field gets no value any more"),
  "unknown-fields-pruned": rule("error", everyone, "keys that are not in the schema are dropped"),
  "unknown-fields-kept": rule("none", [], "keys that are not in the schema are stored"),
  "embedded-resource-changed": rule("witness", writers, "the value is checked as an object of Kubernetes"),
  "list-type-changed": rule("witness", ["stored objects", "appliers"], "the list is merged in another way"),
  "map-keys-changed": rule(
    "error",
    ["stored objects", "appliers"],
    "items of the list are identified by other keys",
  ),
  "map-type-changed": rule("warning", ["appliers"], "the object is merged in another way"),
} as const satisfies Record<string, Rule>;

export type ChangeRule = keyof typeof rules;

/** Returns whether a text is the name of a class. */
export function isChangeRule(name: string): name is ChangeRule {
  return Object.hasOwn(rules, name);
}

function rule(severity: Rule["severity"], breaks: readonly Party[], summary: string): Rule {
  return { severity, breaks, summary };
}
