// What a picture of a chart says about the run that it shows.

import { deviceGroupText } from '../../lab/rundevices.js';
import { dateTime } from '../../text/format.js';

/** The lines of text: devices, date and run. */
export const runLines = ({ id, started_at: started, created_at: created }, devices) => [
  [deviceGroupText(devices), (started ?? created) ? dateTime(started ?? created) : null, `run ${id}`].filter(Boolean).join(' · '),
];
