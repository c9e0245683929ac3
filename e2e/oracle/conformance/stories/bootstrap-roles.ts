import { get, type Story, story } from "../story.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const own = "labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults";
/** The rules of `admin`, `edit` and `view` are aggregated by a controller, which doesn't run here. */
const aggregates = ["admin", "edit", "view"].map((name) => `metadata.name!%3D${name}`).join(",");

/** As YAML: the answers are long, and their lists are formatted as lists, too. */
const yaml = "application/yaml";

export const bootstrapRoles: readonly Story[] = [
  story("roles and bindings that are there from the start", [
    get(`${rbac}/clusterroles?${own}&fieldSelector=${aggregates}`, yaml),
    get(`${rbac}/clusterrolebindings?${own}`, yaml),
    get(`${rbac}/roles?${own}`, yaml),
    get(`${rbac}/rolebindings?${own}`, yaml),
  ]),
];
