/**
 * Code that the READMEs take for granted around their snippets: kinds of a project, and functions that make children. The
 * snippets import the kinds from where a project has them.
 */
import { type Condition, type CustomResource, defineKind, type Stored } from "@tsbuilder/runtime";
import type { Deployment, StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import type { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";

const group = { group: "apps.example.com", version: "v1" };

export interface MySQL extends CustomResource<
  { version?: string; replicas?: number },
  { readyReplicas?: number }
> {}
export const MySQL = defineKind<MySQL>(group, { kind: "MySQL", plural: "mysqls" });

export interface Shop extends CustomResource<
  { owner: string; config?: string },
  { conditions?: Condition[] }
> {}
export const Shop = defineKind<Shop>(group, { kind: "Shop", plural: "shops" });

export interface Backup extends CustomResource<{ day?: number }> {}
export const Backup = defineKind<Backup>(group, { kind: "Backup", plural: "backups" });

export const isOld = ({ spec }: Backup): boolean => (spec.day ?? 0) < 10;

export function statefulSetFor({ metadata: { name } }: Stored<Shop | MySQL>) {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "server", image: "server" }] } },
    },
  } satisfies Partial<StatefulSet>;
}

export function deploymentFor(owner: Stored<Shop | MySQL>) {
  return statefulSetFor(owner) satisfies Partial<Deployment>;
}

export function serviceFor({ metadata: { name } }: Stored<Shop | MySQL>) {
  return { metadata: { name }, spec: { ports: [{ port: 80 }] } } satisfies Partial<Service>;
}

export function configMapFor({ metadata: { name }, spec }: Stored<Shop>) {
  return {
    metadata: { name: `${name}-config` },
    data: { config: spec.config ?? "" },
  } satisfies Partial<ConfigMap>;
}
