import { createHash } from "node:crypto";
import {
  ApiError,
  type Client,
  type Clock,
  type Condition,
  type Context,
  type Desired,
  type Manager,
  type NamespacedName,
  type Reconciler,
  type Result,
  setCondition,
  shortName,
  type Stored,
} from "@tsbuilder/runtime";
import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Pipeline, type PipelineStatus, type PipelineStep } from "./types.ts";

// +kubebuilder:rbac:groups=flow.example.com,resources=pipelines,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=flow.example.com,resources=pipelines/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=flow.example.com,resources=pipelines/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete

const reports = "https://reports.example.com/topics";
const runLabel = "flow.example.com/run";
const stepLabel = "flow.example.com/step";

type Outcome = Pick<Condition, "status" | "reason" | "message">;

/** Reconciles Pipeline objects. */
export class PipelineReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  async reconcile(request: NamespacedName, context: Context): Promise<Result> {
    let pipeline = await this.#client.find(Pipeline, request);
    if (!pipeline) return;
    const { metadata, spec } = pipeline;
    const run = runOf(pipeline);
    const status: PipelineStatus =
      pipeline.status?.run === run
        ? { ...pipeline.status }
        : { run, ...(pipeline.status?.report && { report: pipeline.status.report }) };
    status.observedGeneration = metadata.generation!;
    const before = pipeline.status?.run === run ? pipeline.status.conditions : undefined;

    const jobs = await this.#client.list(Job, { namespace: metadata.namespace, owner: pipeline });
    const isCurrent = (job: Stored<Job>) =>
      job.metadata.labels?.[runLabel] === run && job.metadata.deletionTimestamp === undefined;
    const stale = jobs.filter((job) => !isCurrent(job));
    // Noted before its Jobs are gone: a run that is over, and comes back, must not count as done without them.
    if (stale.length > 0 && pipeline.status?.run !== run)
      pipeline = await this.#client.patchStatus(Pipeline, pipeline, {
        ...status,
        ...(pipeline.status?.conditions && { conditions: pipeline.status.conditions }),
      });
    for (const job of stale) if (job.metadata.deletionTimestamp === undefined) await this.#deleteJob(job);

    let retry: Result = undefined;
    let outcome: Outcome;
    if (status.finishedAt !== undefined) {
      outcome = before?.find(({ type }) => type === "Succeeded") ?? unknown("Finished", "The run is over");
    } else if (stale.length > 0) {
      outcome = unknown("Waiting", "Jobs of an earlier run are being deleted");
    } else {
      [outcome, retry] = await this.#advance(pipeline, status, jobs.filter(isCurrent), context);
    }

    if (status.finishedAt !== undefined && spec.ttlSeconds !== undefined) {
      const left = Date.parse(status.finishedAt) + spec.ttlSeconds * 1000 - this.#clock.now();
      if (left > 0) retry = { requeueAfter: { seconds: Math.ceil(left / 1000) } };
      else for (const job of jobs.filter(isCurrent)) await this.#deleteJob(job);
    }

    status.conditions = setCondition(
      pipeline.status?.conditions,
      { type: "Succeeded", ...outcome, observedGeneration: metadata.generation },
      this.#clock,
    );
    const stored = await this.#client.patchStatus(Pipeline, pipeline, status);
    await this.#report(stored, `${run} ${outcome.reason}`, context);
    return retry;
  }

  /** Looks at the Jobs of a run, starts the next one, and notes in the status what is done. */
  async #advance(
    pipeline: Stored<Pipeline>,
    status: PipelineStatus,
    jobs: readonly Stored<Job>[],
    { events, log }: Context,
  ): Promise<[Outcome, Result?]> {
    for (const step of pipeline.spec.steps) {
      if (status.completedSteps?.includes(step.name)) continue;
      status.step = step.name;
      const job = jobs.find(({ metadata }) => metadata.labels?.[stepLabel] === step.name);
      if (!job) {
        const obstacle = await this.#start(pipeline, status, step);
        if (obstacle) return [unknown("Waiting", obstacle), { requeueAfter: "15s" }];
        log.info("Started a step", { step: step.name });
        events.normal(pipeline, "StepStarted", `Step ${step.name} was started`);
        return [unknown("Running", `Step ${step.name} is running`)];
      }
      const isTrue = (type: string) =>
        job.status?.conditions?.some((condition) => condition.type === type && condition.status === "True");
      if (isTrue("Failed")) {
        status.finishedAt = this.#now();
        events.warning(pipeline, "StepFailed", `Step ${step.name} failed`);
        return [{ status: "False", reason: "StepFailed", message: `Step ${step.name} failed` }];
      }
      if (!isTrue("Complete")) return [unknown("Running", `Step ${step.name} is running`)];
      status.completedSteps = [...(status.completedSteps ?? []), step.name];
    }
    delete status.step;
    status.finishedAt = this.#now();
    events.normal(pipeline, "Succeeded", "All steps are done");
    return [{ status: "True", reason: "Succeeded", message: "All steps are done" }];
  }

  /** Creates the Job of a step; returns what is in the way. */
  async #start(
    pipeline: Stored<Pipeline>,
    status: PipelineStatus,
    step: PipelineStep,
  ): Promise<string | undefined> {
    // A process with an old view must not run again what another one has seen complete.
    const live = await this.#client.find(Pipeline, pipeline.metadata, { live: true });
    if (
      live?.metadata.uid !== pipeline.metadata.uid ||
      live.metadata.deletionTimestamp !== undefined ||
      runOf(live) !== status.run ||
      (live.status?.run === status.run &&
        (live.status?.finishedAt !== undefined || live.status?.completedSteps?.includes(step.name)))
    )
      return "A newer state is awaited";
    const desired = jobFor(pipeline, status.run, step);
    try {
      await this.#client.create(Job, desired, { owner: pipeline });
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isAlreadyExists) throw error;
      return `Another Job has the name ${desired.metadata?.name}`;
    }
    return undefined;
  }

  async #deleteJob(job: Stored<Job>): Promise<void> {
    try {
      await this.#client.delete(Job, job, { propagationPolicy: "Foreground" });
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isNotFound) throw error;
    }
  }

  /** Tells the report service how the run is. The topic is noted before, so that nothing stays in another one. */
  async #report(pipeline: Stored<Pipeline>, text: string, context: Context): Promise<void> {
    const { reportTopic } = pipeline.spec;
    let report = pipeline.status?.report;
    if (report && report.topic !== reportTopic) {
      await deleteReport(pipeline, context);
      const { report: _, ...status } = pipeline.status!;
      pipeline = await this.#client.patchStatus(Pipeline, pipeline, status);
      report = undefined;
    }
    if (reportTopic === undefined || report?.told === text) return;
    if (!report)
      pipeline = await this.#client.patchStatus(Pipeline, pipeline, {
        ...pipeline.status,
        report: { topic: reportTopic },
      });
    const response = await fetch(urlOf(pipeline, reportTopic), {
      method: "PUT",
      body: text,
      signal: context.signal,
    });
    if (!response.ok) throw new Error(`reporting to ${reportTopic} was answered with ${response.status}`);
    await this.#client.patchStatus(Pipeline, pipeline, {
      ...pipeline.status,
      report: { topic: reportTopic, told: text },
    });
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  }
}

const unknown = (reason: string, message: string): Outcome => ({ status: "Unknown", reason, message });

function urlOf({ metadata }: Stored<Pipeline>, topic: string): string {
  return `${reports}/${topic}/${metadata.uid}`;
}

/** Deletes what the report service may have been told. */
async function deleteReport(pipeline: Stored<Pipeline>, { signal }: Context): Promise<void> {
  const topic = pipeline.status?.report?.topic;
  if (topic === undefined) return;
  const response = await fetch(urlOf(pipeline, topic), { method: "DELETE", signal });
  if (!response.ok && response.status !== 404)
    throw new Error(`deleting the report in ${topic} was answered with ${response.status}`);
}

/** Returns a hash of everything that a run executes. */
function runOf({ spec }: Pipeline): string {
  const params = Object.entries(spec.params ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const steps = spec.steps.map(({ name, image, command, retries }) => [name, image, command, retries]);
  return createHash("sha256")
    .update(JSON.stringify([steps, params, spec.run, spec.stepTimeoutSeconds]))
    .digest("hex")
    .slice(0, 10);
}

function jobFor(pipeline: Stored<Pipeline>, run: string, step: PipelineStep): Desired<Job> {
  const { namespace, name } = pipeline.metadata;
  const labels = { [runLabel]: run, [stepLabel]: step.name };
  const params = Object.entries(pipeline.spec.params ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    metadata: { namespace, name: shortName(`${name}-${run}-${step.name}`, 63), labels },
    spec: {
      backoffLimit: step.retries ?? 2,
      ...(pipeline.spec.stepTimeoutSeconds !== undefined && {
        activeDeadlineSeconds: pipeline.spec.stepTimeoutSeconds,
      }),
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: "Never",
          containers: [
            {
              name: "step",
              image: step.image,
              ...(step.command && { command: step.command }),
              env: params.map(([key, value]) => ({ name: key, value })),
            },
          ],
        },
      },
    },
  };
}

/** Registers the controller and the kinds that it watches. */
export function setup(manager: Manager): void {
  const reconciler = new PipelineReconciler(manager);
  manager
    .controllerFor(Pipeline)
    .named("pipeline")
    .pausable()
    .owns(Job)
    .finalizer("flow.example.com/report", deleteReport)
    .complete(reconciler);
}
