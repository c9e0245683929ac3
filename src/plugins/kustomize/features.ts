import { type FeatureName, featureNames } from "../../project/features.ts";
import type { Project } from "../../project/project.ts";
import { type Blueprint, type Insert, joinBlueprints } from "../../scaffold/blueprint.ts";

/** The components of the enabled features: one for each, and one for each pair of features that must be combined. */
export function describeFeatures(project: Project): Blueprint {
  const isOn = (name: FeatureName): boolean => project.features.includes(name);
  return joinBlueprints(
    ...featureNames.filter(isOn).map((name) => feature(project, name)),
    ...pairs.filter(({ of }) => of.every(isOn)).map(({ part, inserts }) => blueprint(project, part, inserts)),
  );
}

function feature(project: Project, name: FeatureName): Blueprint {
  const folder = folders[name];
  return folder === undefined ? blueprint(project) : blueprint(project, name, [component(`../${folder}`)]);
}

/** The folder of each feature in `config/`; a feature without one only appears in combinations. */
const folders: Readonly<Record<FeatureName, string | undefined>> = {
  metrics: "metrics",
  webhook: "webhook",
  "cert-manager": "certmanager",
  "self-signed": "self-signed",
  prometheus: "prometheus",
  alerts: "alerts",
  "metrics-tls": undefined,
  "network-policy": "network-policy",
  restricted: "restricted",
  sharding: "sharding",
};

interface Pair {
  readonly of: readonly FeatureName[];
  readonly part: string | undefined;
  readonly inserts: readonly Insert[];
}

const pairs: readonly Pair[] = [
  { of: ["self-signed"], part: undefined, inserts: [wiring("../self-signed/wiring")] },
  {
    of: ["cert-manager", "webhook"],
    part: "cert-manager-webhook",
    inserts: [
      line("certmanager", "certificates", "webhook"),
      line("certmanager/wiring", "wiring", "webhook"),
      wiring("../certmanager/wiring"),
    ],
  },
  {
    of: ["cert-manager", "metrics", "metrics-tls"],
    part: "cert-manager-metrics",
    inserts: [
      line("certmanager", "certificates", "metrics"),
      line("certmanager/wiring", "wiring", "metrics"),
      wiring("../certmanager/wiring"),
    ],
  },
  {
    of: ["cert-manager", "metrics", "metrics-tls", "prometheus"],
    part: "prometheus-metrics-tls",
    inserts: [wiring("../prometheus/wiring")],
  },
  {
    of: ["alerts", "webhook"],
    part: "alerts-webhook",
    inserts: [line("alerts", "alerts", "webhook.yaml")],
  },
  {
    of: ["alerts", "sharding"],
    part: "alerts-sharding",
    inserts: [line("alerts", "alerts", "shards.yaml")],
  },
  {
    of: ["network-policy", "metrics"],
    part: "network-policy-metrics",
    inserts: [line("network-policy", "policies", "allow-metrics-traffic.yaml")],
  },
  {
    of: ["network-policy", "webhook"],
    part: "network-policy-webhook",
    inserts: [line("network-policy", "policies", "allow-webhook-traffic.yaml")],
  },
];

/** A component in config/base: features that add objects. */
export function component(path: string): Insert {
  return { file: "config/base/kustomization.yaml", marker: "components", text: `- ${path}` };
}

/** A component in config/default: wiring that needs the final names of objects. */
export function wiring(path: string): Insert {
  return { file: "config/default/kustomization.yaml", marker: "components", text: `- ${path}` };
}

/** An entry in any other kustomization in `config/`. */
export function line(folder: string, marker: string, text: string): Insert {
  return { file: `config/${folder}/kustomization.yaml`, marker, text: `- ${text}` };
}

function blueprint({ projectName }: Project, part?: string, inserts: readonly Insert[] = []): Blueprint {
  const parts =
    part === undefined
      ? []
      : [
          {
            key: `kustomize/feature/${part}`,
            templates: `kustomize/feature/${part}`,
            context: { projectName },
          },
        ];
  return { parts, inserts, generated: [] };
}
