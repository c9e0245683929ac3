import { isMap, parseDocument, stringify } from "yaml";
import type { FeatureName } from "../project/features.ts";
import type { Part, TemplateContext } from "../scaffold/blueprint.ts";
import { renderPart } from "../scaffold/template.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { imageName, parseImageReference } from "../ship/image-reference.ts";
import { type Manager, ownArguments, plainVariables } from "./manager.ts";

/** The inputs for a chart's values. */
export interface ValuesRequest {
  readonly manager: Manager;
  /** The features enabled in the project. */
  readonly features: readonly FeatureName[];
  /** The switches that the chart's templates use: `metrics.enabled`. */
  readonly switches: ReadonlySet<string>;
}

/** The sections of values.yaml in order, each with its text. */
export function valuesSections(request: ValuesRequest): Map<string, string> {
  const files = renderPart(valuesPart(request));
  const asked = new Set([...request.switches].map((name) => name.split(".")[0]));
  return new Map(
    order
      .filter((section) => always.has(section) || asked.has(section))
      .map((section) => [section, files.find(({ path }) => path === `${section}.yaml`)!.content]),
  );
}

const order =
  "manager rbac serviceAccount crd metrics certManager webhook prometheus alerts networkPolicy".split(" ");
const always = new Set(["manager", "serviceAccount"]);

/** The templates of the sections, rendered with the settings of the deployment. */
export function valuesPart({ manager, features }: ValuesRequest): Part {
  const { container, pod, replicas } = manager;
  const image = parseImageReference(container.image ?? "");
  const isOn = (feature: FeatureName): string => String(features.includes(feature));
  const port = (name: string, missing: number): string =>
    String(container.ports?.find((each) => each.name === name)?.containerPort ?? missing);
  const context: TemplateContext = {
    replicas: String(replicas),
    // A digest replaces the tag.
    repository: imageName(image) + (image.digest ? `@${image.digest}` : ""),
    tag: image.digest ? '""' : JSON.stringify(image.tag ?? ""),
    pullPolicy: container.imagePullPolicy ?? "IfNotPresent",
    args: block(ownArguments(container)),
    env: block(plainVariables(container)),
    resources: block(container.resources ?? {}),
    podSecurityContext: block(pod.securityContext ?? {}),
    securityContext: block(container.securityContext ?? {}),
    terminationGracePeriodSeconds: String(pod.terminationGracePeriodSeconds ?? 30),
    metrics: isOn("metrics"),
    metricsPort: port("metrics", 8443),
    certManager: isOn("cert-manager"),
    webhookPort: port("webhook-server", 9443),
    prometheus: isOn("prometheus"),
    alerts: isOn("alerts"),
    networkPolicy: isOn("network-policy"),
  };
  return { key: "helm/values", templates: "helm/values", context };
}

/** A value for a key indented by two columns: on the following lines, or on the same line if empty. */
function block(value: object): string {
  const text = stringify(value, { lineWidth: 0, indentSeq: false, compat: "yaml-1.1" }).trimEnd();
  return text === "{}" || text === "[]" ? ` ${text}` : `\n${text.replaceAll(/^/gmu, "    ")}`;
}

/**
 * Keeps values that the user edited; a section that the templates need and that is missing is appended, since Helm
 * could not render the templates without it.
 */
export function completeValues(
  existing: string,
  sections: ReadonlyMap<string, string>,
  path: string,
): { readonly text: string; readonly added: readonly string[] } {
  const document = parseDocument(existing);
  const { contents, errors } = document;
  if (errors.length > 0 || (contents !== null && !isMap(contents))) {
    throw new TsbuilderError(`"${path}" is not a YAML mapping: ${errors[0]?.message.split("\n")[0] ?? ""}`, {
      code: "INVALID_SOURCE",
      hint: "fix it, or add --force to overwrite it",
    });
  }
  const missing = [...sections].filter(([section]) => !document.has(section));
  return {
    text:
      [existing.trimEnd(), ...missing.map(([, text]) => text.trimEnd())].filter(Boolean).join("\n\n") + "\n",
    added: missing.map(([section]) => section),
  };
}
