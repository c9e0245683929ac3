// What the browser loads once the first view is drawn, as one script.

export { objectLines } from "../history/object-yaml.ts";
export { Actions } from "./actions.tsx";
export { LogView } from "./lines.tsx";
export { NumbersView } from "./numbers/numbers-view.tsx";
export {
  ChangesTab,
  EditTab,
  EventsTab,
  FieldsTab,
  ReconcilesTab,
  WebhooksTab,
} from "./objects/object-tabs.tsx";
export { Keys } from "./palette.tsx";
export { TimelineView } from "./timeline/timeline-view.tsx";
