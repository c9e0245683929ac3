import type { NetworkPolicy } from "@tsbuilder/runtime/k8s/networking/v1";
import type { Exam } from "../../exam.ts";
import { Tenant } from "./types.ts";

export const exam: Exam = {
  kind: Tenant,
  world: () => ({
    controllers: ["namespace"],
    operations: {
      values: {
        "spec.namespaces": [["dev"], ["dev", "test"], ["prod", "test"]],
        "spec.members": [["alice"], ["alice", "bob"]],
        "spec.allowFrom": [[], ["ingress"], ["ingress", "monitoring"]],
      },
    },
  }),
  promises: {
    always: {
      "nobody is let in who isn't named": (state) =>
        (state.list("NetworkPolicy") as readonly NetworkPolicy[]).every(({ spec }) =>
          (spec?.ingress ?? []).every(({ from = [] }) => from.length > 0),
        ),
    },
  },
  defects: [
    {
      name: "cut-names",
      seenIn: "names that are cut to 63 characters, and are then those of another object, too",
      classes: ["collision"],
      edits: [
        {
          right: 'return `${tenant.replaceAll(".", "-").slice(0, 30)}-${hash}-${namespace}`;',
          wrong: 'return `${tenant.replaceAll(".", "-").slice(0, 42)}-${namespace}`;',
        },
      ],
    },
    {
      name: "former-namespaces-by-status",
      seenIn:
        "Sieve: what is to be deleted is what the status says was made, and a process dies before it says so",
      classes: ["interrupted", "unretried", "stale-view", "history", "lost-answer"],
      edits: [
        {
          right: "await children.prune(Namespace, RoleBinding);",
          wrong: `await children.prune(RoleBinding);
        for (const name of status.namespaces ?? [])
          if (!names.includes(name)) await children.set(Namespace, name, undefined);`,
        },
      ],
    },
    {
      name: "role-of-a-binding-changed",
      seenIn:
        "scylla-operator, kubeblocks, addon-framework: roleRef is changed in place, which the API server rejects for ever",
      classes: ["history", "error", "stuck"],
      edits: [{ right: "name: `tenant-${role}` };", wrong: 'name: "tenant-members" };' }],
    },
    {
      name: "end-of-namespace-unseen",
      seenIn:
        "argocd-operator and others since they pass over terminating namespaces: nothing wakes them when one is gone",
      classes: ["drift", "missed-event", "history"],
      edits: [{ right: ".owns(Namespace)", wrong: "" }],
    },
    {
      name: "nobody-is-everybody",
      seenIn:
        "naiserator: a rule of a NetworkPolicy with an empty list of peers, which lets everybody in, not nobody",
      classes: ["promise"],
      edits: [
        {
          right: "...(peers.length > 0 && { ingress: [{ from: peers }] }),",
          wrong: "ingress: [{ from: peers }],",
        },
      ],
    },
  ],
};
