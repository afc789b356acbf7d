import { Module } from '@nestjs/common';
import { BindOriginService } from './bind-origin.service.js';
import { IntentsController } from './intents.controller.js';
import { RegisterIntentService } from './register-intent.service.js';

@Module({ controllers: [IntentsController], providers: [RegisterIntentService, BindOriginService] })
export class IntentsModule {}
