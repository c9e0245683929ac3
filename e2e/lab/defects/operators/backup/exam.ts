import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Backup } from "./types.ts";

interface Copy {
  /** The uid of the Backup. */
  readonly backup: string;
  readonly job: string;
}

/** An object store with the list of the copies that are complete. */
const store = external({
  state: () => ({ copies: new Map<string, Copy>() }),
  async handle(request, { copies }) {
    const { pathname, searchParams } = new URL(request.url);
    const key = pathname.slice("/copies/".length);
    if (request.method === "GET") {
      const prefix = searchParams.get("prefix") ?? "";
      return Response.json({ keys: [...copies.keys()].filter((one) => one.startsWith(prefix)) });
    }
    if (request.method === "DELETE") return Response.json({}, { status: copies.delete(key) ? 200 : 404 });
    copies.set(key, (await request.json()) as Copy);
    return Response.json({});
  },
});

export const exam: Exam = {
  kind: Backup,
  world: () => ({
    external: { store },
    // They run the pods of Jobs, which succeed.
    controllers: ["job", "scheduler", "node", "kubelet"],
    operations: {
      values: {
        // Due in the first minutes of a simulation, and then not for a year.
        "spec.schedule": ["1-3 0 1 1 *", "1-6 0 1 1 *", "1,2 0 1 1 *"],
        "spec.database": ["db.shop.example.com", "db.users.example.com"],
      },
    },
    // Which runs were missed depends on when somebody was away, or when a Backup was suspended.
    mayDiffer: ({ apiVersion, kind }, field = "") =>
      kind === "Job" ||
      (apiVersion === "external" && kind === "copies") ||
      (kind === "Backup" && field.startsWith("status.lastRun")),
  }),
  promises: {
    eventually: {
      "the run that the status names has a Job or a copy": (state) => {
        const copies = copiesIn(state.external);
        const jobs = state.list("Job").map(({ metadata }) => metadata);
        return backupsIn(state).every(({ metadata: { uid }, status }) => {
          if (status?.lastRun === undefined) return true;
          const digits = status.lastRun.replace(/\D/g, "").slice(0, 12);
          return (
            copies.some(({ backup, job }) => backup === uid && job.endsWith(digits)) ||
            jobs.some(
              (job) => job.name!.endsWith(digits) && job.ownerReferences?.some((owner) => owner.uid === uid),
            )
          );
        });
      },
      "no more copies are kept than spec.keepCopies says": (state) => {
        const copies = copiesIn(state.external);
        return backupsIn(state).every(
          ({ metadata: { uid }, spec }) =>
            copies.filter(({ backup }) => backup === uid).length <= (spec.keepCopies ?? 5),
        );
      },
    },
  },
  defects: [
    {
      name: "status-before-job",
      seenIn:
        "Sieve: the status says that a run has started before it has, and who dies in between never starts it; velero, k8up and forks of CronJob take the last run from the status",
      classes: ["promise", "interrupted", "unretried", "lost-answer"],
      edits: [
        {
          right:
            "const last = Math.max(0, ...jobs.map((job) => timeIn(job.metadata.name)), ...copies.map(timeIn));",
          wrong: "const last = status?.lastRun === undefined ? 0 : parseTime(status.lastRun);",
        },
        { right: "const { metadata, spec } = backup;", wrong: "const { metadata, spec, status } = backup;" },
        { right: "        await report(view);\n", wrong: "" },
        {
          right: "if (plan.due !== undefined) await client.create",
          wrong: "await report(view);\n        if (plan.due !== undefined) await client.create",
        },
      ],
    },
    {
      name: "prefix-of-another",
      seenIn:
        "backups in object stores that are listed by a prefix without an end: `shop-` finds those of `shop-eu`, too, and a retention or a finalizer deletes them",
      classes: ["collision", "foreign-object", "leftover", "promise"],
      edits: [{ right: "return `${namespace}/${name}/${uid}/`;", wrong: "return `${namespace}/${name}-`;" }],
    },
    {
      name: "late-run-ends-the-schedule",
      seenIn:
        "kubernetes/kubernetes#42649: a CronJob that missed its runs during the night isn't scheduled any more, until somebody edits it",
      classes: ["history", "interrupted", "unretried", "promise", "lost-answer"],
      edits: [
        {
          right: "if (due !== undefined && now - due > deadline) due = undefined;",
          wrong:
            'if (due !== undefined && now - due > deadline)\n      return { last, reason: "Scheduled", message: "the run is too late" };',
        },
      ],
    },
    {
      name: "invalid-is-final",
      seenIn:
        "velero#6225: a Schedule in FailedValidation isn't looked at again, also after its schedule was corrected; Acto: no way back from a wrong value",
      classes: ["stuck", "history", "observed-generation"],
      edits: [
        {
          right: "if (!view) return;",
          wrong:
            'if (!view || view.backup.status?.conditions?.some(({ reason }) => reason === "InvalidSchedule")) return;',
        },
      ],
    },
    {
      name: "retention-only-after-a-run",
      seenIn:
        "operators of databases that prune old backups as the last step of a new one: a smaller number of copies has no effect while nothing runs, as when the Backup is suspended",
      classes: ["history", "promise"],
      edits: [
        {
          right: "for (const key of copies.slice(keepCopies)) await",
          wrong: "if (added.length > 0)\n          for (const key of copies.slice(keepCopies)) await",
        },
      ],
    },
  ],
};

function backupsIn(state: { list(kind: string): readonly object[] }): readonly Backup[] {
  return state.list("Backup") as readonly Backup[];
}

function copiesIn(external: unknown): Copy[] {
  const { store } = external as { readonly store: { readonly copies: ReadonlyMap<string, Copy> } };
  return [...store.copies.values()];
}
