// Everything a page does beyond links and forms. One behaviour per file; each finds its own elements.
import "./times.js";
import "./menu.js";
import "./help.js";
import "./boxes.js";
import "./zoom.js";
import "./picking.js";
import "./reject.js";
import "./second-act.js";
import "./bar-height.js";
import "./next.js";
import "./decide.js";
import "./presence.js";
import "./select.js";
import "./keys.js";
import "./live.js";
