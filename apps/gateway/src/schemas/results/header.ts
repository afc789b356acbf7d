import { z } from 'zod';
import { headerFields } from './header-fields.js';

/** A block's header, as the subscription newHeads delivers it. */
export const header = z
  .looseObject(headerFields)
  .meta({ id: 'Header', title: 'header', description: 'The header of a block.' });
