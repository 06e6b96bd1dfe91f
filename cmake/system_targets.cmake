# Libraries without a usable target of their own; shared by the build and by find_package(speder).
if(NOT TARGET speder_hdf5)
  add_library(speder_hdf5 INTERFACE IMPORTED GLOBAL)
  target_include_directories(speder_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_link_libraries(speder_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
  add_library(speder_sqlite INTERFACE IMPORTED GLOBAL)  # SQLiteCpp's own warnings are not ours
  target_include_directories(speder_sqlite SYSTEM INTERFACE ${SQLite3_INCLUDE_DIRS})
  target_link_libraries(speder_sqlite INTERFACE SQLiteCpp)
endif()
