import type { ComponentChildren } from "preact";
import type { Call } from "../history/history.ts";
import { configurationPlace, patchedObject, verdictOf, webhookName } from "../../dev/record/webhook-call.ts";
import { usePage } from "./shown.ts";
import { duration, timeOfDay } from "./texts.ts";
import { Link } from "./messages.tsx";
import { VerdictWord } from "./outcomes.tsx";
import { type RecordedAdmission, type RecordedConversion, writerName } from "../../dev/record/recorded.ts";
import { reconcilesOfCall } from "../history/connections.ts";
import { difference, objectLines } from "../history/object-yaml.ts";
import { DifferenceLines } from "./lines.tsx";

interface CallListProps {
  readonly calls: readonly Call[];
  readonly children?: ComponentChildren;
}

/** Webhook calls, each in one line. */
export function CallList({ calls, children }: CallListProps) {
  return (
    <ul class="reconciles">
      {calls.map((call) => (
        <li key={call.uid}>
          <CallLine call={call} />
        </li>
      ))}
      {children}
    </ul>
  );
}

/** A webhook call in one line; below the chosen call are its details. */
function CallLine({ call }: { readonly call: Call }) {
  const { shown, show } = usePage();
  const isChosen = shown.callID === call.uid;
  return (
    <>
      <button
        type="button"
        class="link"
        aria-expanded={isChosen}
        onClick={() => show({ callID: isChosen ? undefined : call.uid })}
      >
        <time>{timeOfDay(call.from)}</time> {nameOf(call)} <VerdictWord verdict={verdictOf(call)} /> in{" "}
        {duration(call.to - call.from)}
      </button>
      {isChosen && <CallDetail call={call} />}
    </>
  );
}

/** The cause, the request and the answer of a webhook call. */
export function CallDetail({ call }: { readonly call: Call }) {
  const { feed } = usePage();
  const behind = reconcilesOfCall(feed.history, call);
  const place = configurationPlace(call);
  return (
    <div class="reconcile-detail">
      <p>
        {call.by === undefined ? "It is not known who asked." : `For a request by ${writerName(call.by)}.`}{" "}
        The webhook is configured in{" "}
        <Link to={{ view: "objects", tab: "changes", place }}>{call.configuration}</Link>.{" "}
        {behind.map(({ reconcileID, controller, request }) => (
          <Link key={reconcileID} to={{ view: "timeline", reconcileID, callID: undefined }}>
            It was sent in a reconcile of {controller} {request}.
          </Link>
        ))}
      </p>
      {call.call === "conversion" ? <ConversionDetail call={call} /> : <AdmissionDetail call={call} />}
    </div>
  );
}

function AdmissionDetail({ call }: { readonly call: RecordedAdmission }) {
  const { object, oldObject, omitted = [] } = call;
  return (
    <>
      <Answer call={call} />
      <h3>Request</h3>
      {object && oldObject && (
        <DifferenceLines lines={difference(oldObject, object)} label="What the request changes" />
      )}
      {(["object", "oldObject"] as const).map((name) => {
        if (omitted.includes(name)) return <p>{titles[name]} was too large to be recorded.</p>;
        const sent = call[name];
        return (
          sent && (
            <details key={name} open={name === "object" && oldObject === undefined}>
              <summary>{titles[name]}</summary>
              <DifferenceLines
                lines={objectLines(sent).map((text) => ({ sign: " ", text }))}
                label={titles[name]}
              />
            </details>
          )
        );
      })}
    </>
  );
}

const titles = { object: "The object", oldObject: "The object as it was" } as const;

function Answer({ call }: { readonly call: RecordedAdmission }) {
  const { answer, failure, failurePolicy, ignored } = call;
  const { status, warnings = [], auditAnnotations = {} } = answer ?? {};
  return (
    <>
      <h3>Answer</h3>
      {failure && (
        <p class="problem">
          {failure.message}. {ignored ? "The request went on without it" : "The request was refused"}:
          failurePolicy is {failurePolicy}.
        </p>
      )}
      {answer && (
        <p>
          allowed: {String(answer.allowed)}
          {status?.code !== undefined && `, code ${status.code}`}
          {status?.reason !== undefined && `, ${status.reason}`}
          {status?.message !== undefined && <span class="problem"> {status.message}</span>}
        </p>
      )}
      {warnings.length > 0 && (
        <ul aria-label="Warnings">
          {warnings.map((warning) => (
            <li class="warning">⚠ {warning}</li>
          ))}
        </ul>
      )}
      {Object.entries(auditAnnotations).map(([key, value]) => (
        <p key={key} class="dim">
          audit annotation {key}: {value}
        </p>
      ))}
      <Patch call={call} />
    </>
  );
}

/** The changes of a patch, and its operations: alone, if they do not fit the recorded object. */
function Patch({ call }: { readonly call: RecordedAdmission }) {
  const { answer, object, omitted = [] } = call;
  if (omitted.includes("patch")) return <p>The patch was too large to be recorded.</p>;
  const patch = answer?.patch ?? [];
  if (patch.length === 0) return null;
  const patched = patchedObject(call);
  return (
    <>
      <h3>Patch</h3>
      {patched && <DifferenceLines lines={difference(object, patched)} label="What the patch changes" />}
      <details open={patched === undefined}>
        <summary>Operations</summary>
        <ul>
          {patch.map((operation) => (
            <li>
              <code>{JSON.stringify(operation)}</code>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function ConversionDetail({ call }: { readonly call: RecordedConversion }) {
  const { apiVersion, count, objects, converted = [], failure } = call;
  return (
    <>
      {failure && <p class="problem">{failure.message}</p>}
      <h3>To {apiVersion}</h3>
      {objects.map((object, at) => (
        <DifferenceLines
          key={object.metadata.uid ?? at}
          lines={difference(failure ? undefined : object, failure ? object : converted[at])}
          label={`How ${object.kind} ${object.metadata.name} was converted`}
        />
      ))}
      {count > objects.length && (
        <p class="dim">and {count - objects.length} objects that are not recorded</p>
      )}
    </>
  );
}

function nameOf(call: Call): string {
  const [operation, webhook] = [operationOf(call), webhookName(call)];
  return call.call === "conversion" ? `${webhook} ${operation}` : `${operation} ${webhook}`;
}

/** Returns the operation of a call, or the version to which it converts. */
export function operationOf(call: Call): string {
  if (call.call === "conversion") return `to ${call.apiVersion}`;
  const { operation, subresource, dryRun } = call;
  return `${operation}${subresource === "" ? "" : ` of ${subresource}`}${dryRun ? " (dry run)" : ""}`;
}
