import { writerName } from "../../dev/record/writer-name.ts";
import { reconcilesBehind } from "../history/calls.ts";
import type { Call } from "../history/history.ts";
import { configurationPlace } from "../history/verdict.ts";
import { AdmissionDetail } from "./admission-detail.tsx";
import { ConversionDetail } from "./conversion-detail.tsx";
import { usePage } from "./shown.ts";

/** Why a webhook was asked, what it was asked, and what it answered. */
export function CallDetail({ call }: { readonly call: Call }) {
  const { feed, show } = usePage();
  const behind = reconcilesBehind(feed.history, call);
  const place = configurationPlace(call);
  return (
    <div class="reconcile-detail">
      <p>
        {call.by === undefined ? "It is not known who asked." : `For a request by ${writerName(call.by)}.`}{" "}
        The webhook is configured in{" "}
        <button type="button" class="link" onClick={() => show({ view: "objects", tab: "changes", place })}>
          {call.configuration}
        </button>
        .{" "}
        {behind.map(({ reconcileID, controller, request }) => (
          <button
            type="button"
            class="link"
            key={reconcileID}
            onClick={() => show({ view: "timeline", reconcileID, callID: undefined })}
          >
            It was sent in a reconcile of {controller} {request}.
          </button>
        ))}
      </p>
      {call.call === "conversion" ? <ConversionDetail call={call} /> : <AdmissionDetail call={call} />}
    </div>
  );
}
