import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import type { ConsumerGroup } from "./controller.ts";
import { Worker } from "./types.ts";

const broker = external({
  url: "https://broker.example.org/api/",
  state: () => new Map<string, ConsumerGroup>(),
  async handle(request, groups) {
    const { pathname, searchParams } = new URL(request.url);
    const [, , , queue = "", what, owner = ""] = pathname.split("/");
    if (what === "depth") return Response.json({ messages: queue.length * 5 });
    if (request.method === "GET")
      return Response.json([...groups.values()].filter((group) => group.owner === searchParams.get("owner")));
    const key = `${queue}/${owner}`;
    if (request.method === "DELETE") return new Response("", { status: groups.delete(key) ? 200 : 404 });
    groups.set(key, { queue, owner, ...((await request.json()) as { prefetch: number }) });
    return Response.json({});
  },
});

export const exam: Exam = {
  kind: Worker,
  world: () => ({
    controllers: ["deployment", "replicaset", "scheduler", "node", "kubelet"],
    external: { broker },
    operations: {
      values: {
        "spec.image": ["worker:1.1", "worker:1.2"],
        "spec.queue": ["mail", "notifications"],
        "spec.maxReplicas": [1, 2, 5],
        "spec.minReplicas": [0, 1, 2],
        "spec.cooldownSeconds": [0, 30, 300],
      },
    },
  }),
  defects: [
    {
      name: "former-group-stays",
      seenIn: "a resource outside is made under its new name, and the one with the former name stays",
      classes: ["leftover", "history"],
      edits: [
        {
          right: "for (const group of groups) if (group.queue !== queue) await leave(group, signal);",
          wrong: "",
        },
      ],
    },
    {
      name: "secret-unwatched",
      seenIn: "a new token reaches the pods with the next change of something else",
      classes: ["missed-event", "history", "drift"],
      edits: [
        {
          right:
            'const workers = await client.list(Worker, { namespace, fields: { "spec.tokenSecret": name } });',
          wrong: "const workers: Stored<Worker>[] = [];",
        },
      ],
    },
    {
      name: "polls-until-ready",
      seenIn: "an autoscaler that doesn't look again once all is well, so that a cool-down never ends",
      classes: ["overdue", "history", "stuck"],
      edits: [
        {
          right: "return condition && rejection ? children.result(condition) : { requeueAfter: every };",
          wrong: `if (isReady) return;
    return condition && rejection ? children.result(condition) : { requeueAfter: every };`,
        },
      ],
    },
    {
      name: "cleanup-swallows",
      seenIn: "a cleanup that logs its error and lets the finalizer go",
      classes: ["leftover", "unretried"],
      edits: [
        {
          right: `async function unsubscribe(worker: Stored<Worker>, { signal }: Context): Promise<void> {
  for (const group of await groupsOf(worker.metadata.uid, signal)) await leave(group, signal);
}`,
          wrong: `async function unsubscribe(worker: Stored<Worker>, { signal, log }: Context): Promise<void> {
  try {
    for (const group of await groupsOf(worker.metadata.uid, signal)) await leave(group, signal);
  } catch (error) {
    log.error("the groups can't be left", { error: String(error) });
  }
}`,
        },
      ],
    },
    {
      name: "budget-stays",
      seenIn: "an optional child is made when the spec asks for it, and stays when it doesn't",
      classes: ["history"],
      edits: [
        {
          right: `await children.set(
      PodDisruptionBudget,
      name,
      (worker.spec.minReplicas ?? 0) > 1 ? budgetFor(worker) : undefined,
    );`,
          wrong: `if ((worker.spec.minReplicas ?? 0) > 1)
      await children.set(PodDisruptionBudget, name, budgetFor(worker));`,
        },
      ],
    },
    {
      name: "outage-scales-down",
      seenIn: "KEDA and others before fallbacks: a source that can't be asked is taken for an empty one",
      classes: ["unretried", "drift", "history", "stuck"],
      edits: [{ right: "within(worker, current?.spec?.replicas ?? 0)", wrong: "within(worker, 0)" }],
    },
  ],
};
