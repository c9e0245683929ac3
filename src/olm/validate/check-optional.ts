import { capabilityLevels, bundleAnnotations, csvAnnotations, iconMediaTypes } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { type Bundle, definedCrds, deploymentsOf, permissionsOf } from "./bundle.ts";
import { findRemovedApis } from "./removed-apis.ts";
import { show } from "./check-csv.ts";
import { type Findings, type OptionalSet, finding } from "./rules.ts";

/** The checks that are made only on request, by the names of their sets. Each yields a finding for each broken rule. */
export const optionalChecks: Readonly<Record<OptionalSet, (bundle: Bundle) => Findings>> = {
  operatorhub: checkOperatorHub,
  capabilities: checkCapabilities,
  categories: checkCategories,
  "good-practices": checkGoodPractices,
  community: checkCommunity,
  multiarch: checkPlatforms,
};

/** The parts of an e-mail address, by RFC 5322 without comments. */
const word = String.raw`[^ \t@<>(),.:;\[\]\\"]+`;
const dottedWords = `${word}(?:\\.${word})*`;
const address = `${dottedWords}@${dottedWords}`;
const displayName = String.raw`(?:[^@<>(),:;\[\]\\"]|"(?:[^"\\]|\\.)*")*`;
/** Matches an e-mail address, with or without a name, and without control characters. It takes linear time for any text. */
const mailbox = new RegExp(
  String.raw`^(?!.*[^\P{Cc}\t])(?:[ \t]*${address}|${displayName}<${address}>)[ \t]*$`,
  "su",
);
const mediaTypes = [...new Set(Object.values(iconMediaTypes))].sort();

/** Checks what operatorhub.io requires. */
function* checkOperatorHub({ csv }: Bundle): Findings {
  const spec = csv.get("spec");
  if (!spec.get("provider", "name").text?.trim()) {
    const message = "spec.provider has no name";
    yield finding("hub-provider", spec.get("provider"), message, "name who publishes the operator");
  }
  if (/^v?0\.0\.0(?:\+.*)?$/u.test(spec.get("version").text ?? "0.0.0")) {
    const message = "spec.version is not set, or 0.0.0";
    yield finding("hub-version", spec.get("version"), message, "set a higher one");
  }
  for (const maintainer of spec.get("maintainers").items) {
    const [name, email] = [maintainer.get("name"), maintainer.get("email")];
    if (name.text && mailbox.test(email.text ?? "")) continue;
    const message = "a maintainer has a name and a valid e-mail address";
    yield finding("hub-maintainers", name.text ? email : maintainer, message, "set both");
  }
  for (const link of spec.get("links").items) {
    const url = link.get("url");
    if (link.get("name").text && URL.canParse(url.text ?? "")) continue;
    const message = "a link has a name and a valid URL";
    const at = link.get("name").text ? url : link;
    yield finding("hub-links", at, message, "set both, the URL with https://");
  }
  const icons = spec.get("icon");
  if (icons.items.length > 1) {
    yield finding("hub-icon", icons.get(1), "there is more than one icon", "keep one");
  }
  for (const icon of icons.items) {
    if (icon.get("base64data").text && mediaTypes.includes(icon.get("mediatype").text ?? "")) continue;
    const message = `the icon's media type is ${show(icon.get("mediatype"))}, or it has no data`;
    yield finding("hub-icon", icon.get("mediatype"), message, `use one of ${mediaTypes.join(", ")}`);
  }
}

function* checkCapabilities({ csv }: Bundle): Findings {
  const level = csv.get("metadata", "annotations", csvAnnotations.capabilities);
  if (level.isMissing || capabilityLevels.some((one) => one === level.value)) return;
  const message = `${show(level)} is not a level of capabilities`;
  yield finding("hub-capabilities", level, message, `use one of ${capabilityLevels.join(", ")}`);
}

/** The categories by which consoles and operatorhub.io sort operators. */
const categories = [
  "AI/Machine Learning",
  "Application Runtime",
  "Big Data",
  "Cloud Provider",
  "Database",
  "Developer Tools",
  "Integration & Delivery",
  "Logging & Tracing",
  "Modernization & Migration",
  "Monitoring",
  "Networking",
  "Observability",
  "OpenShift Optional",
  "Security",
  "Storage",
  "Streaming & Messaging",
];

function* checkCategories({ csv }: Bundle): Findings {
  const written = csv.get("metadata", "annotations", csvAnnotations.categories);
  if (written.isMissing) return;
  const unknown = (written.text ?? "")
    .split(",")
    .map((category) => category.trim())
    .filter((category) => !categories.includes(category));
  if (unknown.length === 0) return;
  const message = `consoles don't know the categories: ${unknown.join(", ")}`;
  yield finding("hub-categories", written, message, `use some of ${categories.join(", ")}`);
}

function* checkGoodPractices(bundle: Bundle): Findings {
  for (const container of deploymentsOf(bundle).flatMap(
    (one) => one.get("spec", "template", "spec", "containers").items,
  )) {
    const requests = container.get("resources", "requests");
    if (!requests.get("cpu").isMissing && !requests.get("memory").isMissing) continue;
    const message = `the container ${show(container.get("name"))} requests no cpu or memory`;
    const hint = "set resources.requests: quotas may refuse pods without";
    yield finding("practice-requests", requests, message, hint);
  }
  for (const crd of [...definedCrds(bundle, "owned"), ...definedCrds(bundle, "required")]) {
    if (crd.get("description").text) continue;
    const message = `the CRD ${show(crd.get("name"))} has no description`;
    yield finding("practice-descriptions", crd.get("name"), message, "say what it is for");
  }
  const channels = bundle.annotations.get(bundleAnnotations.channels);
  const unusual = (channels.text ?? "")
    .split(",")
    .filter((channel) => !/^(?:candidate|fast|stable)/u.test(channel));
  if (unusual.length > 0 && !channels.isMissing) {
    const message = `the names of the channels ${unusual.join(", ")} don't say how ready they are`;
    yield finding("practice-channels", channels, message, "begin them with candidate, fast or stable");
  }
  yield* checkCrdRights(permissionsOf(bundle));
}

function* checkCrdRights(permissions: readonly Located[]): Findings {
  for (const rule of permissions.flatMap((one) => one.get("rules").items)) {
    if (!rule.get("apiGroups").texts.includes("apiextensions.k8s.io")) continue;
    if (!rule.get("resources").texts.some((one) => one === "*" || one === "customresourcedefinitions"))
      continue;
    if (!rule.get("verbs").texts.some((one) => ["*", "create", "patch"].includes(one))) continue;
    const hint = "leave CRDs to OLM: own them, or require those of another operator";
    yield finding("practice-crd-rights", rule, "the operator may create CRDs", hint);
  }
}

function* checkCommunity(bundle: Bundle): Findings {
  const removedIn122 = findRemovedApis(bundle).filter(({ removed }) => removed.removedIn === "1.22.0");
  if (removedIn122.length === 0) return;
  const bound = readMaxOpenShift(bundle);
  // OpenShift 4.9 has Kubernetes 1.22. Without a readable bound, `minor` is NaN, which is not less: the bundle is refused.
  const minor = Number(/^v?4\.(\d+)(?:\.0)?$/u.exec(bound ?? "")?.[1]);
  if (minor < 9) return;
  const message =
    bound === undefined
      ? "the bundle has APIs that OpenShift 4.9 removed, and no olm.maxOpenShiftVersion"
      : `the bundle has APIs that OpenShift 4.9 removed, and its olm.maxOpenShiftVersion is "${bound}"`;
  const hint = 'set the property olm.maxOpenShiftVersion: "4.8" in metadata/properties.yaml';
  yield finding("community-openshift", removedIn122[0]!.place, message, hint);
}

/** Reads the property `olm.maxOpenShiftVersion`, which may also be in the annotation `olm.properties`. */
function readMaxOpenShift({ csv, properties }: Bundle): string | undefined {
  const listed: unknown[] = properties.items.map(({ value }) => value);
  const annotated = parseJson(csv.get("metadata", "annotations", "olm.properties").text ?? "[]");
  const all = [...listed, ...(Array.isArray(annotated) ? (annotated as unknown[]) : [])] as ({
    type?: unknown;
    value?: unknown;
  } | null)[];
  const found = all.find((property) => property?.type === "olm.maxOpenShiftVersion");
  return found ? String(found.value) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The platforms that labels may name; the first one of each part is assumed where no label names one. */
const platforms = {
  arch: ["amd64", "arm", "arm64", "ppc64le", "riscv64", "s390x"],
  os: ["linux", "windows"],
} as const;

function* checkPlatforms(bundle: Bundle): Findings {
  const labels = bundle.csv.get("metadata", "labels");
  for (const part of ["arch", "os"] as const) {
    const prefix = `operatorframework.io/${part}.`;
    const platformLabels = labels.entries.filter(([key]) => key.startsWith(prefix));
    for (const [key, value] of platformLabels) {
      const isKnown = platforms[part].some((one) => `${prefix}${one}` === key);
      if (isKnown && value.value === "supported") continue;
      const message = isKnown
        ? `the label ${key} is ${show(value)}`
        : `no platform is called ${key.slice(prefix.length)}`;
      const hint = `use ${prefix}${platforms[part].join("|")}: supported`;
      yield finding("multiarch-labels", value, message, hint);
    }
    const supported = platformLabels.map(([key]) => key.slice(prefix.length));
    if (supported.length === 0) supported.push(platforms[part][0]);
    for (const deployment of deploymentsOf(bundle)) {
      const wanted = deployment.get("spec", "template", "spec", "nodeSelector", `kubernetes.io/${part}`);
      if (wanted.text === undefined || supported.includes(wanted.text)) continue;
      const message = `the pods want nodes of ${wanted.text}, but the labels say ${supported.join(", ")}`;
      const hint = `set the label ${prefix}${wanted.text}: supported`;
      yield finding("multiarch-selector", wanted, message, hint);
    }
  }
}
