// SPDX-License-Identifier: BSD-3-Clause
// Names of all event records and global definitions of OTF2 3.0, including deprecated ones.
#pragma once

// clang-format off

// All records except BufferFlush.
#define LATECOMER_RECORDS(X)                                                                     \
  X(MeasurementOnOff) X(Enter) X(Leave)                                                          \
  X(MpiSend) X(MpiIsend) X(MpiIsendComplete) X(MpiIrecvRequest) X(MpiRecv) X(MpiIrecv)           \
  X(MpiRequestTest) X(MpiRequestCancelled) X(MpiCollectiveBegin) X(MpiCollectiveEnd)             \
  X(OmpFork) X(OmpJoin) X(OmpAcquireLock) X(OmpReleaseLock) X(OmpTaskCreate) X(OmpTaskSwitch)    \
  X(OmpTaskComplete) X(Metric) X(ParameterString) X(ParameterInt) X(ParameterUnsignedInt)        \
  X(RmaWinCreate) X(RmaWinDestroy) X(RmaCollectiveBegin) X(RmaCollectiveEnd) X(RmaGroupSync)     \
  X(RmaRequestLock) X(RmaAcquireLock) X(RmaTryLock) X(RmaReleaseLock) X(RmaSync)                 \
  X(RmaWaitChange) X(RmaPut) X(RmaGet) X(RmaAtomic) X(RmaOpCompleteBlocking)                     \
  X(RmaOpCompleteNonBlocking) X(RmaOpTest) X(RmaOpCompleteRemote)                                \
  X(ThreadFork) X(ThreadJoin) X(ThreadTeamBegin) X(ThreadTeamEnd) X(ThreadAcquireLock)           \
  X(ThreadReleaseLock) X(ThreadTaskCreate) X(ThreadTaskSwitch) X(ThreadTaskComplete)             \
  X(ThreadCreate) X(ThreadBegin) X(ThreadWait) X(ThreadEnd)                                      \
  X(CallingContextEnter) X(CallingContextLeave) X(CallingContextSample)                          \
  X(IoCreateHandle) X(IoDestroyHandle) X(IoDuplicateHandle) X(IoSeek) X(IoChangeStatusFlags)     \
  X(IoDeleteFile) X(IoOperationBegin) X(IoOperationTest) X(IoOperationIssued)                    \
  X(IoOperationComplete) X(IoOperationCancelled) X(IoAcquireLock) X(IoReleaseLock) X(IoTryLock)  \
  X(ProgramBegin) X(ProgramEnd) X(NonBlockingCollectiveRequest) X(NonBlockingCollectiveComplete) \
  X(CommCreate) X(CommDestroy)

// All definitions except ClockProperties and Location.
#define LATECOMER_DEFINITIONS(X)                                                               \
  X(String) X(Attribute) X(SystemTreeNode) X(LocationGroup) X(Region) X(Callsite) X(Callpath)  \
  X(Group) X(MetricMember) X(MetricClass) X(MetricInstance) X(Comm) X(Parameter) X(RmaWin)     \
  X(MetricClassRecorder) X(SystemTreeNodeProperty) X(SystemTreeNodeDomain)                     \
  X(LocationGroupProperty) X(LocationProperty) X(CartDimension) X(CartTopology)                \
  X(CartCoordinate) X(SourceCodeLocation) X(CallingContext) X(CallingContextProperty)          \
  X(InterruptGenerator) X(IoFileProperty) X(IoRegularFile) X(IoDirectory) X(IoHandle)          \
  X(IoPreCreatedHandleState) X(CallpathParameter) X(InterComm) X(Paradigm) X(ParadigmProperty) \
  X(IoParadigm)

// clang-format on
