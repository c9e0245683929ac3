import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Pipeline } from "./types.ts";

const reports = external({
  url: "https://reports.example.com/topics/",
  state: () => new Map<string, string>(),
  async handle(request, told) {
    const key = new URL(request.url).pathname;
    if (request.method === "DELETE") return new Response("", { status: told.delete(key) ? 200 : 404 });
    told.set(key, await request.text());
    return Response.json({});
  },
});

export const exam: Exam = {
  kind: Pipeline,
  world: () => ({
    controllers: ["job", "scheduler", "node", "kubelet", "garbagecollector"],
    external: { reports },
    operations: {
      values: {
        "spec.steps[].image": ["busybox:1.36", "busybox:1.37"],
        "spec.stepTimeoutSeconds": [300, 600],
        "spec.ttlSeconds": [60, 3600],
      },
      annotations: { "flow.example.com/paused": ["true", "false"] },
    },
  }),
  defects: [
    {
      name: "old-view-runs-again",
      seenIn: "a Job that has run, and is gone since, is created once more by a process with an old view",
      classes: ["stale-view", "handover", "interrupted", "history"],
      edits: [
        {
          right: "this.#client.find(Pipeline, pipeline.metadata, { live: true })",
          wrong: "this.#client.find(Pipeline, pipeline.metadata)",
        },
      ],
    },
    {
      name: "topic-noted-after",
      seenIn: "what is outside is noted after it was made, and forgotten if the process dies between the two",
      classes: ["leftover", "interrupted", "lost-answer"],
      edits: [
        {
          right: `if (!report)
      pipeline = await this.#client.patchStatus(Pipeline, pipeline, {
        ...pipeline.status,
        report: { topic: reportTopic },
      });`,
          wrong: "",
        },
      ],
    },
    {
      name: "command-not-in-hash",
      seenIn: "a hash of what is run that leaves out one field, whose change begins no new run",
      classes: ["history", "drift"],
      edits: [
        { right: "[name, image, command, retries]);", wrong: "[name, image, retries]);" },
        { right: "({ name, image, command, retries }) => [", wrong: "({ name, image, retries }) => [" },
      ],
    },
    {
      name: "gone-is-an-error",
      seenIn: "a cleanup that takes 404 for an error: the object stays in deletion for ever",
      classes: ["interrupted", "lost-answer", "stuck"],
      edits: [
        {
          right: "if (!response.ok && response.status !== 404)",
          wrong: "if (!response.ok)",
        },
      ],
    },
    {
      name: "end-not-scheduled",
      seenIn: "a time to live is looked at when something else happens, and otherwise never",
      classes: ["overdue", "missed-event", "history"],
      edits: [
        {
          right: `if (left > 0) retry = { requeueAfter: { seconds: Math.ceil(left / 1000) } };
      else`,
          wrong: "if (left <= 0)",
        },
      ],
    },
    {
      name: "former-jobs-stay",
      seenIn: "Jobs of a former spec go on beside those of the new one",
      classes: ["history", "leftover"],
      edits: [
        {
          right: "const stale = jobs.filter((job) => !isCurrent(job));",
          wrong: "const stale = jobs.filter((job) => job.metadata.deletionTimestamp !== undefined);",
        },
      ],
    },
  ],
};
