import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ClusterRole } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import { isUsable } from "../kinds/checks/meta-types.ts";
import type { Store } from "../storage/store.ts";

/** Keeps the rules of aggregated cluster roles equal to the union of the roles they select. */
export function aggregateRoles(store: Store): () => void {
  const roles = store.collection("clusterroles.rbac.authorization.k8s.io");
  const settle = () => {
    for (const { key, object } of roles.list()) {
      const role = object as ClusterRole;
      const selectors = role.aggregationRule?.clusterRoleSelectors;
      // A data folder of an older version may hold a role that is invalid today: it stays as it is.
      if (!selectors?.every(isUsable)) continue;
      const rules = roles.list().flatMap((other) => {
        const labels = other.object.metadata.labels ?? {};
        const chosen =
          other.key !== key && selectors.some((selector) => matchesLabelSelector(selector, labels));
        return chosen ? ((other.object as ClusterRole).rules ?? []) : [];
      });
      const unique = [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
      if (isEqual(unique, role.rules ?? [])) continue;
      store.put(roles, key, { ...role, rules: unique });
    }
  };
  settle();
  return roles.listen(settle);
}
