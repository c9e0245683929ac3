import type { RecordedConversion } from "../../dev/record/recorded-call.ts";
import { difference } from "../history/difference.ts";
import { DifferenceLines } from "./difference-lines.tsx";

/** What a conversion webhook made of the objects. */
export function ConversionDetail({ call }: { readonly call: RecordedConversion }) {
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
