import { ObjectPane } from "./object-pane.tsx";
import { ObjectTree } from "./object-tree.tsx";

/** All objects, and the chosen one. */
export function ObjectsView() {
  return (
    <div class="split">
      <ObjectTree />
      <ObjectPane />
    </div>
  );
}
