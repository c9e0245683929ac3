import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Pooler } from "./types.ts";

interface Account {
  readonly digests: readonly string[];
  /** How many passwords are valid: they themselves are random. */
  readonly valid: number;
}

interface Database {
  readonly accounts: Map<string, Account>;
}

const database = external({
  state: (): Database => ({ accounts: new Map() }),
  async handle(request, { accounts }) {
    const id = request.url.split("/").at(-1)!;
    if (request.method === "DELETE") return Response.json({}, { status: accounts.delete(id) ? 200 : 404 });
    if (request.method === "PUT") {
      const { digests } = (await request.json()) as Account;
      accounts.set(id, { digests, valid: digests.length });
    }
    const account = accounts.get(id);
    return Response.json(account ?? {}, { status: account ? 200 : 404 });
  },
});

export const exam: Exam = {
  kind: Pooler,
  world: () => ({
    external: { database },
    controllers: ["deployment", "replicaset", "scheduler", "node", "kubelet"],
    operations: { values: { "spec.image": ["pooler:1.24", "pooler:1.25"] } },
    // Passwords, their hashes, and when they were made.
    mayDiffer: ({ apiVersion, kind }, field = "") =>
      (kind === "Secret" && /password|rotated-at/.test(field)) ||
      (apiVersion === "external" && field.includes("digests")) ||
      field.includes("password-hash"),
  }),
  promises: {
    always: {
      "the password of each pod is valid": (state) => {
        const { accounts } = state.external["database"] as Database;
        const poolers = state.list("Pooler").filter(({ metadata }) => !metadata.deletionTimestamp);
        return (state.list("Pod") as readonly Pod[]).every(({ metadata }) => {
          const { labels, annotations, deletionTimestamp } = metadata;
          const owner = poolers.find(({ metadata: { uid } }) => uid === labels?.["db.example.com/pooler"]);
          if (!owner || deletionTimestamp) return true;
          const { digests = [] } = accounts.get(owner.metadata.uid!) ?? {};
          return digests.includes(annotations?.["db.example.com/password-hash"] ?? "");
        });
      },
    },
  },
  defects: [
    {
      name: "told-when-made",
      seenIn:
        "percona, zalando, kubecf: the server is told of a new password by the reconcile that made it, and never again",
      classes: ["interrupted", "unretried", "history"],
      edits: [
        {
          right: "if (known.join() !== valid.join()) {",
          wrong: "if (isDue || (isRolledOut && known.length > 1)) {",
        },
      ],
    },
    {
      name: "former-password-ends-early",
      seenIn:
        "KEDA, koku, neutron-operator: available pods are counted as new ones, in the middle of a rollout",
      classes: ["promise"],
      edits: [
        {
          right:
            "return updatedReplicas === spec.replicas && replicas === updatedReplicas && availableReplicas === replicas;",
          wrong: "return availableReplicas >= spec.replicas;",
        },
        { right: "if ((status?.observedGeneration ?? 0) < metadata!.generation!) return false;", wrong: "" },
      ],
    },
    {
      name: "annotation-never-done",
      seenIn: "annotations that ask for something once, and ask again in each reconcile while they are there",
      classes: ["hot-loop"],
      edits: [
        {
          right: "asked !== undefined && asked !== secret?.metadata.annotations?.[rotate]",
          wrong: "!!asked",
        },
      ],
    },
    {
      name: "rollout-unseen",
      seenIn:
        "GenerationChangedPredicate on a Deployment whose status is waited for: its changes wake nobody",
      classes: ["overdue", "missed-event", "history", "hot-loop", "interrupted", "unretried", "drift"],
      edits: [
        { right: "findController,", wrong: "findController,\n  generationChanged," },
        { right: ".owns(Deployment)", wrong: ".owns(Deployment, { predicates: [generationChanged] })" },
      ],
    },
    {
      name: "gone-account-fails",
      seenIn:
        "external resources whose second DELETE answers 404: the finalizer stays, and the object with it",
      classes: ["unretried", "interrupted", "leftover", "hang", "error"],
      edits: [
        {
          right: "if (response.status === 404) return undefined;",
          wrong: 'if (response.status === 404 && method === "GET") return undefined;',
        },
      ],
    },
  ],
};
