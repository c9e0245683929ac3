import { get, type Story, story } from "../story.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const own = "labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults";
/** What `admin`, `edit` and `view` add up to is the work of a controller, which has none to do it here. */
const aggregates = ["admin", "edit", "view"].map((name) => `metadata.name!%3D${name}`).join(",");

/** In YAML: the answers are long, and so lists are shown in it too. */
const yaml = "application/yaml";

export const bootstrapRoles: readonly Story[] = [
  story("roles and bindings that are there from the start", [
    get(`${rbac}/clusterroles?${own}&fieldSelector=${aggregates}`, yaml),
    get(`${rbac}/clusterrolebindings?${own}`, yaml),
    get(`${rbac}/roles?${own}`, yaml),
    get(`${rbac}/rolebindings?${own}`, yaml),
  ]),
];
