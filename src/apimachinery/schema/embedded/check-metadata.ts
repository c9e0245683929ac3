import { isObject, type JSONObject } from "../../json/index.ts";
import { type FieldError, invalid } from "../../errors/index.ts";
import { isApiVersion } from "../../meta/index.ts";
import { checkLabel, checkLabelValue, checkQualifiedName } from "../../naming/index.ts";

/** Checks decoded metadata of a resource of unknown kind: its name only has to be a valid path segment. */
export function checkMetadata(metadata: JSONObject<unknown>, path: string, errors: FieldError[]): void {
  const { name, generateName, namespace, generation } = metadata;
  const report = (field: string, value: unknown, reasons: readonly string[]): void => {
    for (const reason of reasons) errors.push(invalid(`${path}.${field}`, value, reason));
  };
  if (typeof generateName === "string")
    report("generateName", generateName, checkPathSegmentPrefix(generateName));
  if (typeof name === "string" && name !== "") report("name", name, checkPathSegment(name));
  if (typeof namespace === "string" && namespace !== "")
    report("namespace", namespace, checkLabel(namespace));
  if (typeof generation === "number" && generation < 0) {
    report("generation", generation, ["must be greater than or equal to 0"]);
  }
  for (const [key, value] of entriesOf(metadata["labels"])) {
    report("labels", key, checkQualifiedName(key));
    report("labels", value, checkLabelValue(value));
  }
  for (const [key] of entriesOf(metadata["annotations"])) {
    report("annotations", key, checkQualifiedName(key.toLowerCase()));
  }
  checkOwners(metadata["ownerReferences"], path, errors);
  checkManagers(metadata["managedFields"], path, errors);
}

function entriesOf(value: unknown): [string, string][] {
  return isObject(value) ? (Object.entries(value) as [string, string][]) : [];
}

/** The field of an error has no index of the owner reference. */
function checkOwners(owners: unknown, path: string, errors: FieldError[]): void {
  for (const owner of Array.isArray(owners) ? owners : []) {
    const { apiVersion = "", ...fields } = owner as JSONObject<unknown>;
    const field = `${path}.ownerReferences`;
    if (!isApiVersion(String(apiVersion)))
      errors.push(invalid(`${field}.apiVersion`, apiVersion, "version must not be empty"));
    for (const name of ["kind", "name", "uid"]) {
      if (!fields[name]) errors.push(invalid(`${field}.${name}`, "", "must not be empty"));
    }
  }
}

function checkManagers(managers: unknown, path: string, errors: FieldError[]): void {
  (Array.isArray(managers) ? managers : []).forEach((entry: JSONObject<unknown>, index) => {
    const operation = entry["operation"] ?? "";
    if (operation === "Apply" || operation === "Update") return;
    errors.push(
      invalid(`${path}.managedFields[${index}].operation`, operation, "must be `Apply` or `Update`"),
    );
  });
}

function checkPathSegment(name: string): string[] {
  return name === "." || name === ".." ? [`may not be '${name}'`] : checkPathSegmentPrefix(name);
}

function checkPathSegmentPrefix(name: string): string[] {
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}
