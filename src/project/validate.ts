import { pascalCase } from "@tsbuilder/apimachinery/text";
import { TsbuilderError } from "../shared/errors.ts";
import { qualifiedGroup, type Resource } from "./project.ts";
import { shorten } from "../shared/text.ts";

/** Checks of names: each returns a valid one, and throws a TsbuilderError for one that Kubernetes or code would reject. */

/** A DNS subdomain, as RFC 1123 has it, without its limit of 253 characters. */
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;
/** A DNS label that begins with a letter, as RFC 1035 has it, without its limit of 63 characters. */
const label = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/u;

/** The longest suffix that is added to the project's name: that of a Service, whose name has at most 63 characters. */
const longestNameSuffix = "-controller-manager-metrics-service";
export const maxProjectName = 63 - longestNameSuffix.length;

export function checkDomain(domain: string): string {
  if (domain.length > 253) throw invalid("domain", domain, "use at most 253 characters");
  if (subdomain.test(domain)) return domain;
  const hint = "use lower-case letters, digits, dashes and dots, for example --domain example.com";
  throw invalid("domain", domain, hint);
}

export function checkProjectName(name: string): string {
  if (!label.test(name)) {
    const hint =
      "use lower-case letters, digits and dashes, starting with a letter, for example --project-name mysql-operator";
    throw invalid("project name", name, hint);
  }
  refuseYamlWord("project name", name, `choose a longer one, for example --project-name ${name}-operator`);
  if (name.length <= maxProjectName) return name;
  const hint = `use at most ${maxProjectName} characters, because "${name}${longestNameSuffix}" is the name of a Service, which is limited to 63: --project-name ${name.slice(0, maxProjectName).replace(/-+$/u, "")}`;
  throw invalid("project name", name, hint);
}

export function checkGroup(group: string): string {
  refuseYamlWord("group", group, `choose a longer one, for example --group ${group}-apps`);
  if (group === "" || subdomain.test(group)) return group;
  throw invalid("group", group, "use lower-case letters, digits, dashes and dots, for example --group apps");
}

export function checkVersion(version: string): string {
  if (versionPattern.test(version)) return version;
  throw invalid("version", version, "use a version such as v1, v1alpha1 or v2beta3: --version v1");
}

const versionPattern = /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/u;

/** A name has 63 characters, and that of the list kind ends with `List`. */
const maxKindLength = 63 - "List".length;

export function checkKind(kind: string): string {
  if (!/^[A-Z][A-Za-z0-9]*$/u.test(kind) || kind.length > maxKindLength) {
    const suggestion = pascalCase(kind)
      .replace(/^[0-9]+/u, "")
      .slice(0, maxKindLength);
    const example = suggestion === "" || suggestion === kind ? "MySQL" : suggestion;
    const rule = "use letters and digits, starting with a capital letter";
    throw invalid("kind", kind, `${rule}, at most ${maxKindLength}: --kind ${example}`);
  }
  refuseYamlWord("kind", kind, `choose a longer one, for example --kind App${kind}`);
  return kind;
}

export function checkPlural(plural: string, flag = "plural"): string {
  refuseYamlWord(flag, plural, `choose a longer one, for example --${flag} app${plural}`);
  if (label.test(plural) && plural.length <= 63) return plural;
  throw invalid(flag, plural, `use lower-case letters, digits and dashes, for example --${flag} mysqls`);
}

export function checkControllerName(name: string): string {
  if (label.test(name) && name.length <= 63) return name;
  const rule = label.test(name)
    ? "use at most 63 characters"
    : "use lower-case letters, digits and dashes, starting with a letter";
  throw invalid("controller name", name, `${rule}, for example --controller-name mysql-backup`);
}

/** A kind with its API version: `apps/v1/Deployment`, `v1/ConfigMap`. */
export function checkOwnedKind(text: string): string {
  if (/^(?:[a-z0-9.-]+\/)?v\d+(?:(?:alpha|beta)\d+)?\/[A-Z][A-Za-z0-9]*$/u.test(text)) return text;
  throw invalid("owned kind", text, "give API version and kind, for example --owns apps/v1/Deployment");
}

/** A name for kubectl's command line: `mysql`, `my`. */
export function checkShortName(name: string, flag: string): string {
  if (label.test(name) && name.length <= 63) return name;
  throw invalid(flag, name, `use lower-case letters, digits and dashes, for example --${flag} my`);
}

export function checkNamespace(name: string): string {
  if (/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/u.test(name) && name.length <= 63) return name;
  const hint = "use lower-case letters, digits and dashes, for example --namespaces team-a,team-b";
  throw invalid("namespace", name, hint);
}

export function checkPort(port: string): string {
  if (/^[1-9]\d{0,4}$/u.test(port) && Number(port) <= 65_535) return port;
  throw invalid("port", port, "use a number from 1 to 65535, for example 8080");
}

export function checkUser(user: string): string {
  if (/^(?:0|[1-9]\d{0,9})$/u.test(user) && Number(user) < 2 ** 31) return user;
  throw invalid("user", user, "use a numeric user ID, for example --run-as-user 1001");
}

/** Checks the names that a resource has only as a whole: its API group, and the name of its CRD. */
export function checkResource(resource: Resource): Resource {
  const group = qualifiedGroup(resource);
  if (group === "" && resource.origin.type !== "core") {
    throw new TsbuilderError("the API group is empty: neither a group nor a domain is set", {
      code: "INVALID_NAME",
      hint: "set a group, for example --group apps",
    });
  }
  const name = `${resource.plural}.${group}`;
  if (name.length <= 253) return resource;
  throw invalid("CRD name", name, "choose a shorter --group or --plural: the limit is 253 characters");
}

export function checkWebhookPath(path: string, flag: string): string {
  if (/^\/[\w.~/-]*$/u.test(path) && path !== "/" && !path.includes("//")) return path;
  const hint = `it must start with a slash, for example --${flag} ${flag === "validation-path" ? "/validate-mysql" : "/mutate-mysql"}`;
  throw invalid(flag, path, hint);
}

/** Checks the module of an external kind's types: an npm package, or a file in the project. */
export function checkModule(module: string): string {
  const steps = (module.startsWith("./") ? module.slice(2) : module.replace(/^@/u, "")).split("/");
  if (steps.every((step) => /^[\w~-][\w.~-]*$/u.test(step))) return module;
  const hint =
    "use an npm package or a file in the project, for example --external-module ./src/types/certificate.ts";
  throw invalid("module", module, hint);
}

/** Checks a template option from the PROJECT file: an image is inserted into code without escaping, unlike others. */
export function checkTemplateOption(name: string, value: string): string {
  if (name === "image" ? /^[\w./:@-]*$/u.test(value) : !/\p{Cc}/u.test(value)) return value;
  throw invalid(name, value, "use a value that create api accepts");
}

/** Refuses names that are other values in YAML 1.1, which many programs read manifests with. */
function refuseYamlWord(what: string, name: string, hint: string): void {
  if (/^(?:y|n|yes|no|on|off|true|false|null)$/iu.test(name))
    throw invalid(what, name, `YAML takes this word for a boolean or null; ${hint}`);
}

function invalid(what: string, value: string, hint: string): TsbuilderError {
  return new TsbuilderError(`the ${what} "${shorten(value)}" is not valid`, { code: "INVALID_NAME", hint });
}
